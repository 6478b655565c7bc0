// One rounding, to nearest even, from double to every float format.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"

namespace samesum {

// Rounding to odd keeps a later rounding to nearest in a narrower format right (Boldo and Melquiond). 13 bits
// do for float16 and bfloat16: they are exact in float32 wherever they are not far below both. (Lemma 4)
constexpr std::int64_t below_odd = (std::int64_t{1} << (53 - 13)) - 1;
SAMESUM_INLINE std::uint32_t float_bits_to_odd(double x) {
    const std::int64_t bits = __builtin_bit_cast(std::int64_t, x);
    const std::int64_t odd = (bits | ((bits & below_odd) + below_odd)) & ~below_odd;
    return __builtin_bit_cast(std::uint32_t, static_cast<float>(__builtin_bit_cast(double, odd)));
}

// Every case is computed and one chosen: loops over these become vector code.
SAMESUM_INLINE std::uint16_t half_bits(std::uint32_t bits) {
    const std::uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    const std::uint32_t rebased = size - 0x38000000;
    const std::uint32_t normal = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
    // Adding 1/2 leaves the multiples of 2^-24 in the last bits, rounded.
    const float shifted = __builtin_bit_cast(float, size) + 0.5f;
    const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000;
    const std::uint32_t large = size > 0x7f800000 ? 0x7e00 : 0x7c00;
    const std::uint32_t half = size >= 0x47800000 ? large : size >= 0x38800000 ? normal : subnormal;
    return static_cast<std::uint16_t>(size > 0x7f800000 ? half : sign | half);
}

SAMESUM_INLINE std::uint16_t bfloat_bits(std::uint32_t bits) {
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
}

// The bits of x in `format`, rounded once; NaN is the canonical one.
SAMESUM_INLINE std::uint64_t round_bits(double x, Format format) {
    if (x != x) return canonical_nan(format);
    switch (format) {
        case Format::f16:
            return half_bits(float_bits_to_odd(x));
        case Format::bf16:
            return bfloat_bits(float_bits_to_odd(x));
        case Format::f32:
            return __builtin_bit_cast(std::uint32_t, static_cast<float>(x));
        default:
            return __builtin_bit_cast(std::uint64_t, x);
    }
}

SAMESUM_INLINE void store_bits(void* out, std::size_t index, std::uint64_t bits, std::size_t size) {
    char* const to = static_cast<char*>(out) + index * size;
    const auto store = [to](auto part) { std::memcpy(to, &part, sizeof part); };
    // A copy of so many bytes would wait for the bits to be stored before it reads them.
    if (size == 8)
        store(bits);
    else if (size == 4)
        store(static_cast<std::uint32_t>(bits));
    else if (size == 2)
        store(static_cast<std::uint16_t>(bits));
    else
        store(static_cast<std::uint8_t>(bits));
}

// An integer that a double may not hold becomes NaN, which no rounding test certifies.
template <class Integer>
inline double double_or_nan(Integer x) {
    constexpr std::int64_t limit = std::int64_t{1} << 53;
    if constexpr (sizeof(Integer) == 8) {
        const bool low = std::is_signed_v<Integer> && static_cast<std::int64_t>(x) < -limit;
        if (low || x > static_cast<Integer>(limit)) return __builtin_nan("");
    }
    return static_cast<double>(x);
}

}  // namespace samesum
