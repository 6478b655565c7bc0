// Elements of every format on their way into a superaccumulator.
#pragma once

#include <cstring>
#include <type_traits>

#include "exact/superaccumulator.hpp"

namespace samesum {

template <int fraction_bits, class Bits>
inline void add_float(Superaccumulator& total, Bits bits, int exponent_of_unit, Map map) {
    constexpr int field_bits = static_cast<int>(8 * sizeof(Bits)) - 1 - fraction_bits;
    constexpr Bits field_mask = static_cast<Bits>((1 << field_bits) - 1);
    const bool negative = map == Map::itself && (bits >> (8 * sizeof(Bits) - 1)) != 0;
    const Bits field = static_cast<Bits>(bits >> fraction_bits) & field_mask;
    std::uint64_t significand = bits & ((std::uint64_t{1} << fraction_bits) - 1);
    if (field == field_mask) {
        significand != 0 ? total.add_nan() : total.add_infinity(negative);
        return;
    }
    int exponent = exponent_of_unit;
    if (field != 0) {
        significand |= std::uint64_t{1} << fraction_bits;
        exponent += static_cast<int>(field) - 1;
    }
    if (significand == 0) return;
    if (map == Map::square)
        total.add_wide(u128{significand} * significand, 2 * exponent, false);
    else
        total.add(significand, exponent, negative);
}

template <class Bits>
inline Bits bits_at(const void* p) {
    Bits bits;
    std::memcpy(&bits, p, sizeof bits);
    return bits;
}

// Adds map(x) for the float at p.
template <Format format>
inline void add_element(Superaccumulator& total, const void* p, Map map) {
    if constexpr (format == Format::f16) add_float<10>(total, bits_at<std::uint16_t>(p), -24, map);
    if constexpr (format == Format::bf16) add_float<7>(total, bits_at<std::uint16_t>(p), -133, map);
    if constexpr (format == Format::f32) add_float<23>(total, bits_at<std::uint32_t>(p), -149, map);
    if constexpr (format == Format::f64) add_float<52>(total, bits_at<std::uint64_t>(p), -1074, map);
}

inline void add_element(Superaccumulator& total, const void* p, Format format) {
    switch (format) {
        case Format::f16:
            return add_element<Format::f16>(total, p, Map::itself);
        case Format::bf16:
            return add_element<Format::bf16>(total, p, Map::itself);
        case Format::f32:
            return add_element<Format::f32>(total, p, Map::itself);
        default:
            return add_element<Format::f64>(total, p, Map::itself);
    }
}

}  // namespace samesum
