// What the codes of the eight-bit floats stand for.
#pragma once

#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

enum Special : std::uint32_t { nan_met = 1, positive_infinity_met = 2, negative_infinity_met = 4 };

// What a code stands for: a multiple of the format's least number, or a special value.
struct Code {
    std::int64_t number;
    std::uint32_t special;
};

constexpr int unit_exponent(Format format) {
    return traits_of(format).min_exponent - traits_of(format).precision + 1;
}

constexpr Code meaning_of(unsigned code, Format format) {
    const FloatTraits traits = traits_of(format);
    const unsigned size = code & 0x7f;
    const bool negative = code >= 0x80;
    if (has_infinity(format) && size == traits.overflow)
        return {0, negative ? negative_infinity_met : positive_infinity_met};
    if (size > traits.largest || (!traits.has_negative_zero && code == 0x80)) return {0, nan_met};
    const unsigned field = size >> (traits.precision - 1);
    const std::int64_t fraction = size & ((1u << (traits.precision - 1)) - 1);
    const std::int64_t hidden = field != 0 ? std::int64_t{1} << (traits.precision - 1) : 0;
    const std::int64_t number = (fraction + hidden) << (field != 0 ? field - 1 : 0);
    return {negative ? -number : number, 0};
}

}  // namespace samesum
