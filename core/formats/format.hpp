// The number formats of arrays, and how one value is rounded to each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

enum class Format : std::uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

constexpr std::size_t format_count = 13;

constexpr std::size_t size_of(Format f) {
    constexpr std::size_t sizes[format_count] = {2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
    return sizes[static_cast<std::size_t>(f)];
}

constexpr bool is_float(Format f) { return f <= Format::f64; }
constexpr bool is_unsigned(Format f) { return f >= Format::u8; }

// Significand bits (with the hidden one), the least exponent of a normal number, and the largest one.
struct FloatTraits {
    int precision, min_exponent, max_exponent;
};

constexpr FloatTraits traits_of(Format f) {
    constexpr FloatTraits traits[4] = {{11, -14, 15}, {8, -126, 127}, {24, -126, 127}, {53, -1022, 1023}};
    return traits[static_cast<std::size_t>(f)];
}

constexpr std::uint64_t canonical_nan(Format f) {
    constexpr std::uint64_t nans[4] = {0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000};
    return nans[static_cast<std::size_t>(f)];
}

constexpr std::uint64_t infinity_bits(Format f) {
    constexpr std::uint64_t infinities[4] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
    return infinities[static_cast<std::size_t>(f)];
}

constexpr std::uint64_t sign_bit(Format f) { return std::uint64_t{1} << (8 * size_of(f) - 1); }

}  // namespace samesum
