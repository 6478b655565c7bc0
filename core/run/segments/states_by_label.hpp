// What is kept of each place while elements come in any order, and how that becomes a result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "arithmetic/error_free.hpp"
#include "arithmetic/rounding.hpp"
#include "formats/format.hpp"
#include "kernels/instruction_set.hpp"
#include "methods/method.hpp"

namespace samesum {

// What holds for all elements of a call.
struct LabelledRange {
    double greatest;  // magnitude of the elements; not finite if one of them is not
    double terms;     // elements of a place, at most
    Finalize finalize;
    Format format;  // of the results
    bool is_minimum = false;
};

// hi + lo == the exact value, hi its nearest double: of two neighbours the one with an odd last bit, from
// which a format of few bits is rounded as from the value itself (Boldo and Melquiond).
inline double rounded_to_odd(double hi, double lo) {
    const auto bits = __builtin_bit_cast(std::uint64_t, hi);
    if (lo == 0 || (bits & 1) != 0) return hi;
    return __builtin_bit_cast(double, (lo > 0) == (hi > 0) ? bits + 1 : bits - 1);
}

// The bits of the result if every number from value - bound to value + bound rounds to it, value = hi + lo,
// hi the nearest double. A format of fewer bits is rounded from a double, whose own rounding the bound has to
// cover.
inline bool round_certain(double hi, double lo, double bound, Format format, std::uint64_t& bits) {
    if (bound == 0) {
        bits = round_bits(format == Format::f64 ? hi : rounded_to_odd(hi, lo), format);
        return true;
    }
    const double own = format == Format::f64 ? magnitude(lo) : magnitude(hi),
                 wide = bound * (1 + 0x1p-10) + own * 0x1p-52;
    bits = round_bits(hi + (lo - wide), format);
    return bits == round_bits(hi + (lo + wide), format);
}

// The bits of a sum of n elements, or of their mean, that lies within the bound of hi + lo, hi the nearest
// double.
inline bool round_total(double hi, double lo, double bound, double n, const LabelledRange& range,
                        std::uint64_t& bits) {
    if (range.finalize != Finalize::over_count) return round_certain(hi, lo, bound, range.format, bits);
    const double mean = hi / n;
    // What is left of hi, which is exact, tells on which side of a tie the mean lies.
    if (lo == 0 && bound == 0) return round_certain(mean, std::fma(-mean, n, hi), 0, range.format, bits);
    const double off = (bound + magnitude(lo)) / n + magnitude(mean) * 0x1p-52;
    return round_certain(mean, 0, off, range.format, bits);
}

inline bool is_sum_or_mean(const LabelledRange& range) {
    return range.format <= Format::f32 &&
           (range.finalize == Finalize::itself || range.finalize == Finalize::over_count);
}

// Sums of floats of at most 24 bits. Each element is a multiple of the unit, whose sums are exact, and a rest
// of at most half of it, whose sum of n terms is off by at most n * 2^-53 times that of their magnitudes. The
// rests are multiples of the last bit of the least element: where sums of them have few bits they are exact.
// (Lemma 78)
struct NarrowSum {
    struct State {
        double multiple, rest;
        std::int64_t count;
    };
    struct Way {
        double anchor, unit;
        double least = HUGE_VAL;  // magnitude of the elements that are not zero
    };

    static bool suits(const LabelledRange& range) { return is_sum_or_mean(range); }
    static Way way_for(const LabelledRange& range) {
        const double all = range.terms * (range.greatest > 0 ? range.greatest : 1);
        const double unit = std::ldexp(1.0, std::ilogb(all) + 2 - 52);
        return {unit * 0x1.8p52, unit};
    }
    static void join(Way& way, const Way& other) { way.least = std::fmin(way.least, other.least); }

    static bool is_empty(const State& state) { return state.count == 0; }
    static void join(State& state, const State& other) {
        state.multiple += other.multiple;
        state.rest += other.rest;
        state.count += other.count;
    }
    static bool finish(const State& state, const Way& way, const LabelledRange& range, std::uint64_t& bits) {
        const auto n = static_cast<double>(state.count);
        // An element has 24 bits, a double holds 53.
        const bool is_exact = n * way.unit * 0.5 <= std::ldexp(way.least, 53 - 24);
        double hi, lo, bound = is_exact ? 0 : n * n * way.unit * 0x1p-54 * (1 + 0x1p-10);
        two_sum(state.multiple, state.rest, hi, lo);
        return round_total(hi, lo, bound, n, range, bits);
    }
};

// Sums of doubles, in double-words.
struct WideSum {
    struct State {
        Sum sum;
        std::int64_t count;
    };
    struct Way {};

    static bool suits(const LabelledRange& range) {
        return range.greatest * range.terms < 0x1p1000 && range.finalize == Finalize::itself;
    }
    static Way way_for(const LabelledRange&) { return {}; }
    static void join(Way&, const Way&) {}
    static bool is_empty(const State& state) { return state.count == 0; }
    static void join(State& state, const State& other) {
        samesum::add(state.sum, other.sum);
        state.count += other.count;
    }
    static bool finish(const State& state, const Way&, const LabelledRange& range, std::uint64_t& bits) {
        double hi, lo;
        two_sum(state.sum.hi, state.sum.lo, hi, lo);
        return round_certain(hi, lo, state.sum.bound, range.format, bits);
    }
};

// Sums of integers, modulo 2^64.
struct ModularSum {
    struct State {
        std::uint64_t sum;
        std::int64_t count;
    };
    struct Way {};

    static bool suits(const LabelledRange& range) {
        return !is_float(range.format) && range.finalize == Finalize::itself;
    }
    static Way way_for(const LabelledRange&) { return {}; }
    static void join(Way&, const Way&) {}
    static bool is_empty(const State& state) { return state.count == 0; }
    static void join(State& state, const State& other) {
        state.sum += other.sum;
        state.count += other.count;
    }
    static bool finish(const State& state, const Way&, const LabelledRange&, std::uint64_t& bits) {
        bits = state.sum;
        return true;
    }
};

// Extremes: elements become integers in their order, of which the greatest is the result, with NaN above all
// others. A minimum reverses the order. Keys of 32 bits are for formats of 16 and floats of 32: those of
// integers have no room for a place without elements.
template <class Key>
struct PlacedExtreme {
    static constexpr Key none = std::numeric_limits<Key>::min(), nan = std::numeric_limits<Key>::max();
    struct State {
        Key key = none;
    };
    struct Way {
        Key flip;  // -1 of a minimum
    };

    static bool suits(const LabelledRange& range) {
        return range.format != Format::i64 && range.format != Format::u64;
    }
    static Way way_for(const LabelledRange& range) { return {range.is_minimum ? Key{-1} : Key{0}}; }
    static void join(Way&, const Way&) {}
    static bool is_empty(const State& state) { return state.key == none; }
    static void join(State& state, const State& other) {
        state.key = other.key > state.key ? other.key : state.key;
    }
    static bool finish(const State& state, const Way& way, const LabelledRange& range, std::uint64_t& bits) {
        const std::int64_t key = state.key ^ way.flip;
        const auto magnitude_bits = static_cast<std::int64_t>(sign_bit(range.format) - 1);
        if (!is_float(range.format))
            bits = static_cast<std::uint64_t>(key);
        else if (state.key == nan)
            bits = canonical_nan(range.format);
        else
            bits = static_cast<std::uint64_t>(key < 0 ? key ^ magnitude_bits : key);
        return true;
    }
};

// A finite value; NaN for what is not.
inline float float_of(std::uint16_t bits, Format format) {
    if (format == Format::bf16) return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    // The exponent is 112 too small, that of subnormal numbers too.
    const std::uint32_t size = static_cast<std::uint32_t>(bits & 0x7fff) << 13,
                        sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const float value = __builtin_bit_cast(float, size) * 0x1p112f;
    if ((bits & 0x7c00) == 0x7c00) return __builtin_nanf("");  // an infinity too
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) | sign);
}

// Elements that are readied at a time.
constexpr std::size_t labelled_block = 1024;

template <class T>
T read(const char* data, std::int64_t i) {
    T value;
    std::memcpy(&value, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

// An element of any format as a double, if it is a float, or sign-extended.
inline double real_at(const char* data, std::int64_t i, Format format) {
    if (format == Format::f64) return read<double>(data, i);
    if (format == Format::f32) return static_cast<double>(read<float>(data, i));
    return static_cast<double>(float_of(read<std::uint16_t>(data, i), format));
}

template <class Integer, class To>
void widen(const char* x, std::size_t n, To* to) {
    for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<To>(read<Integer>(x, static_cast<std::int64_t>(i)));
}

// Sign-extended, as the `To` that holds them.
template <class To>
void integers_of(const char* x, std::size_t n, Format format, To* to) {
    switch (format) {
        case Format::i8:
            return widen<std::int8_t>(x, n, to);
        case Format::i16:
            return widen<std::int16_t>(x, n, to);
        case Format::i32:
            return widen<std::int32_t>(x, n, to);
        case Format::u8:
        case Format::boolean:
            return widen<std::uint8_t>(x, n, to);
        case Format::u16:
            return widen<std::uint16_t>(x, n, to);
        case Format::u32:
            return widen<std::uint32_t>(x, n, to);
        default:
            return widen<std::int64_t>(x, n, to);
    }
}

// Elements of a block as their states take them.
struct NarrowBlock {
    alignas(64) double multiple[labelled_block], rest[labelled_block];

    void take(const char* x, std::size_t n, Format format, NarrowSum::Way& way) {
        const auto split = current_instruction_set().kept_blocks->split[static_cast<std::size_t>(format)];
        way.least = std::min(way.least, split(x, n, way.anchor, multiple, rest));
    }
    void add(NarrowSum::State& state, std::size_t i) const {
        state.multiple += multiple[i];
        state.rest += rest[i];
        ++state.count;
    }
};

struct WideBlock {
    double element[labelled_block];

    void take(const char* x, std::size_t n, Format, WideSum::Way&) {
        std::memcpy(element, x, n * sizeof(double));
    }
    void add(WideSum::State& state, std::size_t i) const {
        samesum::add(state.sum, element[i]);
        ++state.count;
    }
};

struct ModularBlock {
    std::uint64_t element[labelled_block];

    void take(const char* x, std::size_t n, Format format, ModularSum::Way&) {
        integers_of(x, n, format, element);
    }
    void add(ModularSum::State& state, std::size_t i) const {
        state.sum += element[i];
        ++state.count;
    }
};

template <class Key>
struct ExtremeBlock {
    using Extreme = PlacedExtreme<Key>;
    Key key[labelled_block];

    void take(const char* x, std::size_t n, Format format, typename Extreme::Way& way) {
        // Floats as signed integers of their size, in whose order positive ones are.
        constexpr Format of_float[] = {Format::i16, Format::i16, Format::i32, Format::i64};
        integers_of(x, n, is_float(format) ? of_float[float_index(format)] : format, key);
        const Key flip = way.flip;
        if (!is_float(format)) {
            for (std::size_t i = 0; i < n; ++i) key[i] ^= flip;
            return;
        }
        const auto sizes = static_cast<Key>(sign_bit(format) - 1),
                   infinity = static_cast<Key>(infinity_bits(format));
        for (std::size_t i = 0; i < n; ++i) {
            const Key code = key[i], ordered = (code < 0 ? code ^ sizes : code) ^ flip;
            key[i] = (code & sizes) > infinity ? Extreme::nan : ordered;
        }
    }
    void add(typename Extreme::State& state, std::size_t i) const {
        state.key = key[i] > state.key ? key[i] : state.key;
    }
};

}  // namespace samesum
