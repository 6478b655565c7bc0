// The number formats of arrays, and how one value is rounded to each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace samesum {

// The floats of eight bits, named by their exponent and fraction bits, come last: they are summed in
// integers. `fn` has no infinities; `uz` has no negative zero either, whose code is its NaN.
enum class Format : std::uint8_t {
    f16,
    bf16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    boolean,
    e3m4,
    e4m3,
    e4m3b11fnuz,
    e4m3fn,
    e4m3fnuz,
    e5m2,
    e5m2fnuz
};

constexpr std::size_t format_count = 20, byte_float_count = 7;

// Inlined always: code of one instruction set must not be called from another one's.
[[gnu::always_inline]] constexpr bool is_byte_float(Format f) { return f > Format::boolean; }
[[gnu::always_inline]] constexpr bool is_float(Format f) { return f <= Format::f64 || is_byte_float(f); }
constexpr bool is_unsigned(Format f) { return f >= Format::u8 && f <= Format::boolean; }

// Of the formats before the byte floats. Inside of a function a table would be copied in each call.
inline constexpr std::uint8_t format_sizes[] = {2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};

[[gnu::always_inline]] constexpr std::size_t size_of(Format f) {
    return is_byte_float(f) ? 1 : format_sizes[static_cast<std::size_t>(f)];
}

// Significand bits (with the hidden one), the least exponent of a normal number and the largest one, and the
// codes of the largest finite number, of the canonical NaN and of an overflow, but for its sign.
struct FloatTraits {
    int precision, min_exponent, max_exponent;
    std::uint64_t largest, nan, overflow;
    bool has_negative_zero;
};

// The place of a float format among the floats.
constexpr std::size_t float_index(Format f) {
    constexpr std::size_t first = static_cast<std::size_t>(Format::e3m4);
    const std::size_t index = static_cast<std::size_t>(f);
    return is_byte_float(f) ? index - first + 4 : index;
}

// By these places.
inline constexpr FloatTraits float_traits[4 + byte_float_count] = {
    {11, -14, 15, 0x7bff, 0x7e00, 0x7c00, true},
    {8, -126, 127, 0x7f7f, 0x7fc0, 0x7f80, true},
    {24, -126, 127, 0x7f7fffff, 0x7fc00000, 0x7f800000, true},
    {53, -1022, 1023, 0x7fefffffffffffff, 0x7ff8000000000000, 0x7ff0000000000000, true},
    {5, -2, 3, 0x6f, 0x78, 0x70, true},
    {4, -6, 7, 0x77, 0x7c, 0x78, true},
    {4, -10, 4, 0x7f, 0x80, 0x80, false},
    {4, -6, 8, 0x7e, 0x7f, 0x7f, true},
    {4, -7, 7, 0x7f, 0x80, 0x80, false},
    {3, -14, 15, 0x7b, 0x7e, 0x7c, true},
    {3, -15, 15, 0x7f, 0x80, 0x80, false},
};

constexpr const FloatTraits& traits_of(Format f) { return float_traits[float_index(f)]; }

constexpr std::uint64_t canonical_nan(Format f) { return traits_of(f).nan; }
constexpr std::uint64_t sign_bit(Format f) { return std::uint64_t{1} << (8 * size_of(f) - 1); }
constexpr bool has_infinity(Format f) { return traits_of(f).overflow != traits_of(f).nan; }

// Of formats with infinities.
constexpr std::uint64_t infinity_bits(Format f) { return traits_of(f).overflow; }

// What is too large for the format: an infinity, or NaN where there is none.
constexpr std::uint64_t overflow_bits(Format f, bool negative) {
    return has_infinity(f) ? traits_of(f).overflow | (negative ? sign_bit(f) : 0) : canonical_nan(f);
}

// Whether every number of one float format is one of the other, too.
constexpr bool holds(Format wide, Format narrow) { return wide == narrow || size_of(wide) > size_of(narrow); }

// The least float format that holds both.
constexpr Format common_format(Format a, Format b) { return holds(a, b) ? a : holds(b, a) ? b : Format::f32; }

// Calls `call.operator()<format>()`, of a float format of more than eight bits.
template <class Call>
constexpr auto in_float_format(Format format, const Call& call) {
    switch (format) {
        case Format::f16:
            return call.template operator()<Format::f16>();
        case Format::bf16:
            return call.template operator()<Format::bf16>();
        case Format::f32:
            return call.template operator()<Format::f32>();
        default:
            return call.template operator()<Format::f64>();
    }
}

template <Format first, class Call, std::size_t... i>
constexpr auto in_one_of(Format format, const Call& call, std::index_sequence<i...>) {
    constexpr std::size_t least = static_cast<std::size_t>(first);
    using Result = decltype(call.template operator()<first>());
    constexpr Result (*calls[])(const Call&) = {[](const Call& each) -> Result {
        return each.template operator()<static_cast<Format>(least + i)>();
    }...};
    return calls[static_cast<std::size_t>(format) - least](call);
}

// The same of any format but the byte floats; of integers and booleans.
template <class Call>
constexpr auto in_wide_format(Format format, const Call& call) {
    return in_one_of<Format::f16>(format, call, std::make_index_sequence<format_count - byte_float_count>{});
}
template <class Call>
constexpr auto in_integer_format(Format format, const Call& call) {
    return in_one_of<Format::i8>(format, call,
                                 std::make_index_sequence<format_count - byte_float_count - 4>{});
}

// The elements of a format of integers.
template <Format format>
struct IntegerOf {
    static constexpr bool is_unsigned = samesum::is_unsigned(format);
    using Sized = std::tuple_element_t<std::countr_zero(size_of(format)),
                                       std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t>>;
    using type =
        typename std::conditional_t<is_unsigned, std::make_unsigned<Sized>, std::type_identity<Sized>>::type;
};

// The same of the formats all of whose numbers the widest one holds; `format` is one of them.
template <Format widest, class Call>
constexpr auto in_format_within(Format format, const Call& call) {
    return in_float_format(format, [&call]<Format found>() {
        constexpr Format fits = holds(widest, found) ? found : widest;
        return call.template operator()<fits>();
    });
}

}  // namespace samesum
