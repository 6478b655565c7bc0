// What is kept of each segment while elements come in any order, and how that becomes a result.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arithmetic/error_free.hpp"
#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
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

// Elements that are readied at a time.
constexpr std::size_t labelled_block = 1024;

struct MultipleAndRest {
    double multiple, rest;
};

inline void join(MultipleAndRest& total, const MultipleAndRest& more) {
    total.multiple += more.multiple;
    total.rest += more.rest;
}
inline void join(Sum& total, const Sum& more) { samesum::add(total, more); }
inline void join(std::uint64_t& total, std::uint64_t more) { total += more; }

// A total, and how many elements it has.
template <class Total>
struct Counted {
    Total total{};
    std::int64_t count = 0;

    bool is_empty() const { return count == 0; }
    void merge(const Counted& other) {
        join(total, other.total);
        count += other.count;
    }
};

// Kinds of states. Each takes a block of elements, which are added one by one; `join` says what else another
// part of the elements has told.

// Sums of floats of at most 24 bits. Each element is a multiple of the unit, whose sums are exact, and a rest
// of at most half of it, whose sum of n terms is off by at most n * 2^-53 times that of their magnitudes. The
// rests are multiples of the last bit of the least element: where sums of them have few bits they are exact.
// (Lemma 78)
class NarrowSums {
  public:
    using State = Counted<MultipleAndRest>;

    static bool suits(const LabelledRange& range) {
        return range.format <= Format::f32 &&
               (range.finalize == Finalize::itself || range.finalize == Finalize::over_count);
    }
    explicit NarrowSums(const LabelledRange& range)
        : unit_(std::ldexp(1.0,
                           std::ilogb(range.terms * (range.greatest > 0 ? range.greatest : 1)) + 2 - 52)) {}

    void take(const char* x, std::size_t n, Format format) {
        const auto split = current_instruction_set().kept_blocks->split[static_cast<std::size_t>(format)];
        least_ = std::fmin(least_, split(x, n, unit_ * 0x1.8p52, multiple_, rest_));
    }
    void add(State& state, std::size_t i) const {
        samesum::join(state.total, {multiple_[i], rest_[i]});
        ++state.count;
    }
    void join(const NarrowSums& other) { least_ = std::fmin(least_, other.least_); }

    bool finish(const State& state, const LabelledRange& range, std::uint64_t& bits) const {
        const auto n = static_cast<double>(state.count);
        // An element has 24 bits, a double holds 53.
        const bool is_exact = n * unit_ * 0.5 <= std::ldexp(least_, 53 - 24);
        double hi, lo, bound = is_exact ? 0 : n * n * unit_ * 0x1p-54 * (1 + 0x1p-10);
        two_sum(state.total.multiple, state.total.rest, hi, lo);
        return round_total(hi, lo, bound, n, range, bits);
    }

  private:
    double unit_, least_ = HUGE_VAL;  // magnitude of the elements that are not zero
    alignas(64) double multiple_[labelled_block], rest_[labelled_block];
};

// Sums of doubles, in double-words.
class WideSums {
  public:
    using State = Counted<Sum>;

    static bool suits(const LabelledRange& range) {
        return range.greatest * range.terms < 0x1p1000 && range.finalize == Finalize::itself;
    }
    explicit WideSums(const LabelledRange&) {}

    void take(const char* x, std::size_t n, Format) { std::memcpy(element_, x, n * sizeof(double)); }
    void add(State& state, std::size_t i) const {
        samesum::add(state.total, element_[i]);
        ++state.count;
    }
    void join(const WideSums&) {}

    bool finish(const State& state, const LabelledRange& range, std::uint64_t& bits) const {
        double hi, lo;
        two_sum(state.total.hi, state.total.lo, hi, lo);
        return round_certain(hi, lo, state.total.bound, range.format, bits);
    }

  private:
    double element_[labelled_block];
};

// Sums of integers, modulo 2^64.
class ModularSums {
  public:
    using State = Counted<std::uint64_t>;

    static bool suits(const LabelledRange& range) {
        return !is_float(range.format) && range.finalize == Finalize::itself;
    }
    explicit ModularSums(const LabelledRange&) {}

    void take(const char* x, std::size_t n, Format format) { integers_of(x, n, format, element_); }
    void add(State& state, std::size_t i) const {
        state.total += element_[i];
        ++state.count;
    }
    void join(const ModularSums&) {}

    bool finish(const State& state, const LabelledRange&, std::uint64_t& bits) const {
        bits = state.total;
        return true;
    }

  private:
    std::uint64_t element_[labelled_block];
};

// Extremes: elements become integers in their order, of which the greatest is the result, with NaN above all
// others. A minimum reverses the order. Keys of 32 bits are for formats of 16 and floats of 32: those of
// integers have no room for a segment without elements.
template <class Key>
class Extremes {
    static constexpr Key none = std::numeric_limits<Key>::min(), nan = std::numeric_limits<Key>::max();

  public:
    struct State {
        Key key = none;

        bool is_empty() const { return key == none; }
        void merge(const State& other) { key = other.key > key ? other.key : key; }
    };

    static bool suits(const LabelledRange& range) {
        return range.format != Format::i64 && range.format != Format::u64;
    }
    explicit Extremes(const LabelledRange& range) : flip_(range.is_minimum ? -1 : 0) {}

    void take(const char* x, std::size_t n, Format format) {
        // Floats as signed integers of their size, in whose order positive ones are.
        constexpr Format of_float[] = {Format::i16, Format::i16, Format::i32, Format::i64};
        integers_of(x, n, is_float(format) ? of_float[float_index(format)] : format, key_);
        const Key flip = flip_;
        if (!is_float(format)) {
            for (std::size_t i = 0; i < n; ++i) key_[i] ^= flip;
            return;
        }
        const auto sizes = static_cast<Key>(sign_bit(format) - 1),
                   infinity = static_cast<Key>(infinity_bits(format));
        for (std::size_t i = 0; i < n; ++i) {
            const Key code = key_[i], ordered = (code < 0 ? code ^ sizes : code) ^ flip;
            key_[i] = (code & sizes) > infinity ? nan : ordered;
        }
    }
    void add(State& state, std::size_t i) const { state.key = key_[i] > state.key ? key_[i] : state.key; }
    void join(const Extremes&) {}

    bool finish(const State& state, const LabelledRange& range, std::uint64_t& bits) const {
        const std::int64_t key = state.key ^ flip_;
        const auto sizes = static_cast<std::int64_t>(sign_bit(range.format) - 1);
        if (is_float(range.format) && state.key == nan)
            bits = canonical_nan(range.format);
        else
            bits = static_cast<std::uint64_t>(is_float(range.format) && key < 0 ? key ^ sizes : key);
        return true;
    }

  private:
    Key flip_;  // -1 of a minimum
    Key key_[labelled_block];
};

}  // namespace samesum
