// Elements of every format on their way into an exact total: a superaccumulator or a running one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "exact/totals/superaccumulator.hpp"

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

// n integers side by side, sign-extended or rounded as the `To` that holds them.
template <class Integer, class To>
inline void convert_integers(const char* x, std::size_t n, To* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<To>(bits_at<Integer>(x + i * sizeof(Integer)));
}
template <class To>
inline void integers_of(const char* x, std::size_t n, Format format, To* to) {
    in_integer_format(format, [&]<Format f>() { convert_integers<typename IntegerOf<f>::type>(x, n, to); });
}

// What is not finite among n floats; nothing else counts any more when there is some.
template <Format format, Map map>
inline void add_specials(Specials& total, const char* p, std::ptrdiff_t stride, std::size_t n) {
    for (std::size_t i = 0; i < n && !total.is_nan(); ++i, p += stride) {
        const Element x = float_at<format>(p);
        if (x.kind == Element::Kind::nan) total.add_nan();
        if (x.kind == Element::Kind::infinity) total.add_infinity(map == Map::itself && x.negative);
    }
}

// Adds map(x) for n floats, `stride` bytes apart.
template <Format format, Map map, class Total>
inline void add_elements(Total& total, const char* p, std::ptrdiff_t stride, std::size_t n) {
    constexpr std::size_t most = Total::most_additions / 2;
    if (!total.is_finite()) return add_specials<format, map>(total, p, stride, n);
    for (std::size_t i = 0; i < n; ++i, p += stride) {
        if (i % most == 0) total.make_room(static_cast<std::uint32_t>(2 * std::min(most, n - i)));
        const Element x = float_at<format>(p);
        if (x.kind != Element::Kind::finite) return add_specials<format, map>(total, p, stride, n - i);
        if (x.significand == 0) continue;
        if constexpr (map == Map::square)
            total.add_wide_within(u128{x.significand} * x.significand, 2 * x.exponent, false);
        else
            total.add_within(x.significand, x.exponent, map == Map::itself && x.negative);
    }
}

// Neighbours.
template <class Total>
inline void add_elements(Total& total, const char* p, std::size_t n, Format format) {
    in_float_format(format, [&]<Format f>() { add_elements<f, Map::itself>(total, p, size_of(f), n); });
}

// How many come first that make no difference to an infinite total.
template <Format format>
inline std::size_t elements_without_effect(const Specials& total, const char* p, std::size_t n) {
    std::size_t i = 0;
    for (; i < n; ++i, p += size_of(format)) {
        const Element x = float_at<format>(p);
        const bool is_same = x.kind == Element::Kind::infinity && x.negative == total.has_negative_infinity();
        if (x.kind != Element::Kind::finite && !is_same) break;
    }
    return i;
}

inline std::size_t elements_without_effect(const Specials& total, const char* p, std::size_t n,
                                           Format format) {
    return in_float_format(format, [&]<Format f>() { return elements_without_effect<f>(total, p, n); });
}

// Adds value * 2^exponent.
template <class Total>
inline void add_units(Total& total, std::int64_t value, int exponent) {
    const auto bits = static_cast<std::uint64_t>(value);
    total.make_room(1);
    if (value != 0) total.add_within(value < 0 ? 0 - bits : bits, exponent, value < 0);
}

template <class Total>
inline void add_double(Total& total, double x) {
    add_elements<Format::f64, Map::itself>(total, reinterpret_cast<const char*>(&x), 8, 1);
}

// Words of 8 bytes in the bytes of states, the lowest byte first.

inline void put_word(std::uint64_t word, std::string& to) {
    for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(word >> (8 * i)));
}

inline std::uint64_t word_at(const char* from) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    return word;
}

// Moves on.
inline std::uint64_t take_word(const char*& from) {
    from += 8;
    return word_at(from - 8);
}

}  // namespace samesum
