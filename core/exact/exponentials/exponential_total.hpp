// Sums of exponentials of elements that come in any order, in any number of parts that are merged.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "exact/exponentials/exponential_values.hpp"
#include "exact/exponentials/word_window.hpp"
#include "exact/real_result.hpp"

namespace samesum {

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

    // What it is as bytes (docs/states.md), which depend on the elements alone.
    void encode(std::string& to) const;
    // Reads one total and moves on; false if there is none in this very form.
    static bool decode(const char*& from, const char* end, ExponentialTotal& total);

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

}  // namespace samesum
