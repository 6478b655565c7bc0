// Sums of exponentials of elements that come in any order, in any number of parts that are merged.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "exact/elements.hpp"
#include "exact/exponentials/fixed.hpp"
#include "exact/exponentials/word_exponential.hpp"
#include "methods/method.hpp"

namespace samesum {

// Elements of sums of exponentials: doubles or 64-bit integers, whose differences are exact.

// |x| rounded down to a unit of the last place, or its complement; |x| < 2^63.
template <std::size_t limbs>
Fixed<limbs> fixed(double x) {
    const Element e = float_at<Format::f64>(&x);
    const Fixed<limbs> unit = Fixed<limbs>::units(e.significand);
    const int shift = e.exponent + Fixed<limbs>::fraction_bits;
    const Fixed<limbs> size = shift < 0 ? unit >> -shift : unit << shift;
    return e.negative ? Fixed<limbs>{} - size : size;
}

// e^(less - greater), off by at most Exponential<limbs>::units. Zero where it is less than a unit of the last
// place: differences as great as that are not made exactly. Of doubles whose difference is smaller neither is
// above 2^62, or they would be equal.
template <std::size_t limbs, class Value>
Fixed<limbs> exponential_below(Value greater, Value less) {
    constexpr std::uint64_t limit = Fixed<limbs>::fraction_bits;
    if constexpr (std::is_same_v<Value, double>) {
        if (!(greater - less < static_cast<double>(limit))) return {};
        return Exponential<limbs>::of_minus(fixed<limbs>(greater) - fixed<limbs>(less));
    } else {
        const std::uint64_t difference =
            static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less);
        return difference < limit ? Exponential<limbs>::of_minus(Fixed<limbs>{difference}) : Fixed<limbs>{};
    }
}

template <class Value>
void add_value(Superaccumulator& total, Value x) {
    if constexpr (std::is_same_v<Value, double>) {
        add_double(total, x);
    } else {
        const bool negative = x < 0;
        const std::uint64_t bits = static_cast<std::uint64_t>(x);
        total.add(negative ? 0 - bits : bits, 0, negative);
    }
}

// The element of a format, -0 as 0; infinities and NaNs as they are.
template <Format format>
double double_at(const void* p) {
    if constexpr (format == Format::f64) return std::bit_cast<double>(bits_at<std::uint64_t>(p)) + 0.0;
    const Element x = float_at<format>(p);
    if (x.kind == Element::Kind::nan) return std::numeric_limits<double>::quiet_NaN();
    if (x.kind == Element::Kind::infinity) return x.negative ? -HUGE_VAL : HUGE_VAL;
    const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + x.exponent) << 52),
                 size = static_cast<double>(x.significand) * unit;
    return x.negative ? 0.0 - size : size;
}

// The greatest different values with their numbers, and the words of the exponentials of all others. Values
// are doubles that are no -0, or 64-bit integers.
template <class Value>
class ExponentialTotal {
  public:
    static constexpr int most_values = 32;

    void add(Value x) {
        if (used_ == most_values && x < value_[most_values - 1])
            add_other(x, 1);
        else
            insert(x, 1);
    }
    void add_infinity() { has_infinity_ = true; }
    void add_nan() { has_nan_ = true; }
    void merge(const ExponentialTotal& other);
    bool is_nan() const { return has_nan_; }

    // The logarithm of the sum, rounded once to how.format, or truncated toward zero; -infinity without an
    // element.
    std::uint64_t rounded(const Finish& how) const;

    // What it is as bytes (docs/states.md), which depend on the elements alone, and are always brief.
    void encode(bool is_brief, std::string& to) const;
    // Reads one total and moves on; false if there is none in this very form.
    static bool decode(const char*& from, const char* end, bool is_brief, ExponentialTotal& total);

  private:
    void insert(Value x, std::uint64_t times);
    void add_other(Value x, std::uint64_t times);
    bool are_others_well_formed() const;

    // What all but the greatest value add to the sum relative to that one: within `error` of it.
    template <std::size_t limbs>
    struct Rest {
        Fixed<limbs> sum, error;
    };
    template <std::size_t limbs>
    Rest<limbs> of_words(const WordWindow& words, std::uint64_t count) const;
    template <std::size_t limbs>
    Rest<limbs> approximate_rest() const;
    template <std::size_t limbs>
    Rest<limbs> accurate_rest() const;
    template <std::size_t limbs>
    bool round(const Rest<limbs>& rest, const Finish& how, std::uint64_t& bits) const;

    // From the greatest on.
    std::array<Value, most_values> value_;
    std::array<std::uint64_t, most_values> count_;
    int used_ = 0;
    std::uint64_t others_ = 0;  // how many
    WordWindow words_;          // of the others, but for those that are far away
    bool has_nan_ = false, has_infinity_ = false;
};

// Methods of sums of exponentials that are kept, or that faster methods cannot certify.

// How the values of a format are kept.
template <class Visit>
decltype(auto) with_exponential_value(Format in, Visit&& visit) {
    if (in == Format::i64) return visit(std::int64_t{});
    if (in == Format::u64) return visit(std::uint64_t{});
    return visit(double{});
}

// Its states are ExponentialTotal of that value: any format but the floats of eight bits.
const Method& exponential_total_method(Format in);

}  // namespace samesum
