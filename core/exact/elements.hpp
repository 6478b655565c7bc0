// Elements of every format on their way into a superaccumulator.
#pragma once

#include <cstring>
#include <type_traits>

#include "exact/superaccumulator.hpp"

namespace samesum {

template <class Bits>
inline Bits bits_at(const void* p) {
    Bits bits;
    std::memcpy(&bits, p, sizeof bits);
    return bits;
}

// A float taken apart: significand * 2^exponent unless it is infinite or NaN.
struct Element {
    enum class Kind : std::uint8_t { finite, infinity, nan };
    std::uint64_t significand;
    int exponent;
    bool negative;
    Kind kind;
};

template <int fraction_bits, class Bits>
inline Element taken_apart(Bits bits, int exponent_of_unit) {
    constexpr int field_bits = static_cast<int>(8 * sizeof(Bits)) - 1 - fraction_bits;
    constexpr Bits field_mask = static_cast<Bits>((1 << field_bits) - 1);
    const Bits field = static_cast<Bits>(bits >> fraction_bits) & field_mask;
    Element x{bits & ((std::uint64_t{1} << fraction_bits) - 1), exponent_of_unit,
              (bits >> (8 * sizeof(Bits) - 1)) != 0, Element::Kind::finite};
    if (field == field_mask) {
        x.kind = x.significand != 0 ? Element::Kind::nan : Element::Kind::infinity;
    } else if (field != 0) {
        x.significand |= std::uint64_t{1} << fraction_bits;
        x.exponent += static_cast<int>(field) - 1;
    }
    return x;
}

template <Format format>
inline Element float_at(const void* p) {
    if constexpr (format == Format::f16) return taken_apart<10>(bits_at<std::uint16_t>(p), -24);
    if constexpr (format == Format::bf16) return taken_apart<7>(bits_at<std::uint16_t>(p), -133);
    if constexpr (format == Format::f32) return taken_apart<23>(bits_at<std::uint32_t>(p), -149);
    if constexpr (format == Format::f64) return taken_apart<52>(bits_at<std::uint64_t>(p), -1074);
}

// Adds map(x) for the float at p.
template <Format format, Map map>
inline void add_element(Superaccumulator& total, const void* p) {
    const Element x = float_at<format>(p);
    const bool negative = map == Map::itself && x.negative;
    if (x.kind != Element::Kind::finite) {
        x.kind == Element::Kind::nan ? total.add_nan() : total.add_infinity(negative);
    } else if (x.significand != 0) {
        if (map == Map::square)
            total.add_wide(u128{x.significand} * x.significand, 2 * x.exponent, false);
        else
            total.add(x.significand, x.exponent, negative);
    }
}

inline void add_element(Superaccumulator& total, const void* p, Format format) {
    switch (format) {
        case Format::f16:
            return add_element<Format::f16, Map::itself>(total, p);
        case Format::bf16:
            return add_element<Format::bf16, Map::itself>(total, p);
        case Format::f32:
            return add_element<Format::f32, Map::itself>(total, p);
        default:
            return add_element<Format::f64, Map::itself>(total, p);
    }
}

}  // namespace samesum
