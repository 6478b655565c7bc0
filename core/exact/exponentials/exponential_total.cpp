#include "exact/exponentials/exponential_total.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/elements.hpp"
#include "exact/states.hpp"

namespace samesum {

// Sums of exponentials as bytes, and back.

namespace {

constexpr std::uint8_t nan_flag = 1, infinity_flag = 2, words_flag = 4;
// More elements than any memory holds, and far from what overflows.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 56;

template <class Value>
bool is_value(Value x) {
    if constexpr (std::is_same_v<Value, double>)
        return std::isfinite(x) && !(x == 0 && std::signbit(x));
    else
        return true;
}

bool is_count(std::uint64_t n) { return n > 0 && n <= most_elements; }

}  // namespace

template <class Value>
void ExponentialTotal<Value>::encode(bool, std::string& to) const {
    if (has_nan_ || has_infinity_) {
        to.push_back(static_cast<char>(has_nan_ ? nan_flag : infinity_flag));
        to.push_back(0);
        return;
    }
    to.push_back(static_cast<char>(words_.is_empty() ? 0 : words_flag));
    to.push_back(static_cast<char>(used_));
    for (std::size_t i = 0; i < static_cast<std::size_t>(used_); ++i) {
        put_word(std::bit_cast<std::uint64_t>(value_[i]), to);
        put_word(count_[i], to);
    }
    if (used_ < most_values) return;
    put_word(others_, to);
    if (words_.is_empty()) return;
    put_word(static_cast<std::uint64_t>(words_.top()), to);
    for (const u128 word : words_.word()) {
        put_word(static_cast<std::uint64_t>(word), to);
        put_word(static_cast<std::uint64_t>(word >> 64), to);
    }
}

// The others are less than each of the values.
template <class Value>
bool ExponentialTotal<Value>::are_others_well_formed() const {
    if (others_ > most_elements || words_.is_empty()) return others_ <= most_elements;
    const auto& word = words_.word();
    if (others_ == 0 || word.back() == 0) return false;
    for (const u128 each : word)
        if (each >> 64 >= others_) return false;
    const Value least = value_.back();
    if constexpr (std::is_same_v<Value, double>)
        if (std::abs(least) >= far_away) return least > 0 && std::abs(words_.top()) < std::int64_t{1} << 57;
    return words_.top() <= WordExponential::of(least).top && words_.top() > -(std::int64_t{1} << 59);
}

template <class Value>
bool ExponentialTotal<Value>::decode(const char*& from, const char* end, bool, ExponentialTotal& total) {
    total = {};
    if (end - from < 2) return false;
    const std::uint8_t flags = static_cast<std::uint8_t>(from[0]);
    total.used_ = static_cast<unsigned char>(from[1]);
    from += 2;
    total.has_nan_ = flags == nan_flag;
    total.has_infinity_ = flags == infinity_flag;
    if (total.has_nan_ || total.has_infinity_) return total.used_ == 0;
    const bool has_words = flags == words_flag, is_full = total.used_ == most_values;
    if ((flags != 0 && !has_words) || total.used_ > most_values || (has_words && !is_full)) return false;
    const std::ptrdiff_t words =
        2 * total.used_ + (is_full ? 1 : 0) + (has_words ? 1 + 2 * WordWindow::words : 0);
    if (end - from < 8 * words) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(total.used_); ++i) {
        total.value_[i] = std::bit_cast<Value>(take_word(from));
        total.count_[i] = take_word(from);
        if (!is_value(total.value_[i]) || !is_count(total.count_[i])) return false;
        if (i > 0 && total.value_[i - 1] <= total.value_[i]) return false;
    }
    if (is_full) total.others_ = take_word(from);
    if (has_words) {
        const std::int64_t top = static_cast<std::int64_t>(take_word(from));
        WordWindow::Words word;
        for (u128& each : word) {
            each = take_word(from);
            each |= u128{take_word(from)} << 64;
        }
        total.words_ = WordWindow::of(top, word);
    }
    return total.are_others_well_formed();
}

namespace {

template <class Value>
bool is_far(Value x) {
    if constexpr (std::is_same_v<Value, double>)
        return std::abs(x) >= far_away;
    else
        return false;
}

// The bits of an integer from number `first` on, as those of a fixed-point number from the lowest on.
template <std::size_t limbs, std::size_t n>
Fixed<limbs> bits_from(const std::array<std::uint64_t, n>& x, i128 first) {
    constexpr i128 bits = 64 * static_cast<i128>(n);
    const auto limb = [&](i128 i) { return i >= 0 && i < bits / 64 ? x[static_cast<std::size_t>(i)] : 0; };
    std::array<std::uint64_t, limbs> result{};
    for (std::size_t i = 0; i < limbs; ++i, first += 64) {
        if (first <= -64 || first >= bits) continue;
        const i128 at = first >> 6;
        const u128 two = u128{limb(at + 1)} << 64 | limb(at);
        result[i] = static_cast<std::uint64_t>(two >> static_cast<int>(first & 63));
    }
    return Fixed<limbs>::of(result);
}

// An integer in units of 2^(64 lowest), times `by`, rounded down.
template <std::size_t limbs, std::size_t n>
Fixed<limbs> scaled(const std::array<std::uint64_t, n>& x, std::int64_t lowest, const LeadingLimbs& by) {
    std::array<std::uint64_t, n + LeadingLimbs::count> product{};
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < LeadingLimbs::count; ++j) {
            const u128 sum = u128{x[i]} * by.limb[j] + product[i + j] + carry;
            product[i + j] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
        product[i + LeadingLimbs::count] = carry;
    }
    const i128 unit = 64 * i128{lowest} + by.exponent - LeadingLimbs::bits;
    return bits_from<limbs>(product, -unit - Fixed<limbs>::fraction_bits);
}

std::array<std::uint64_t, WordWindow::words + 2> integer_of(const WordWindow::Words& word) {
    std::array<std::uint64_t, WordWindow::words + 2> integer{};
    u128 carry = 0;
    for (std::size_t i = 0; i < WordWindow::words; ++i) {
        const u128 sum = (word[i] & ~std::uint64_t{0}) + (carry & ~std::uint64_t{0});
        integer[i] = static_cast<std::uint64_t>(sum);
        carry = (word[i] >> 64) + (carry >> 64) + (sum >> 64);
    }
    integer[WordWindow::words] = static_cast<std::uint64_t>(carry);
    integer[WordWindow::words + 1] = static_cast<std::uint64_t>(carry >> 64);
    return integer;
}

}  // namespace

template <class Value>
void ExponentialTotal<Value>::insert(Value x, std::uint64_t times) {
    int place = used_;
    while (place > 0 && value_[static_cast<std::size_t>(place - 1)] < x) --place;
    if (place > 0 && value_[static_cast<std::size_t>(place - 1)] == x) {
        count_[static_cast<std::size_t>(place - 1)] += times;
        return;
    }
    if (place == most_values) return add_other(x, times);
    if (used_ == most_values)
        add_other(value_.back(), count_.back());
    else
        ++used_;
    std::copy_backward(value_.begin() + place, value_.begin() + used_ - 1, value_.begin() + used_);
    std::copy_backward(count_.begin() + place, count_.begin() + used_ - 1, count_.begin() + used_);
    value_[static_cast<std::size_t>(place)] = x;
    count_[static_cast<std::size_t>(place)] = times;
}

template <class Value>
void ExponentialTotal<Value>::add_other(Value x, std::uint64_t times) {
    others_ += times;
    if (!is_far(x)) words_.add(WordExponential::of(x), times);
}

template <class Value>
void ExponentialTotal<Value>::merge(const ExponentialTotal& other) {
    has_nan_ |= other.has_nan_;
    has_infinity_ |= other.has_infinity_;
    for (int i = 0; i < other.used_; ++i)
        insert(other.value_[static_cast<std::size_t>(i)], other.count_[static_cast<std::size_t>(i)]);
    others_ += other.others_;
    words_.merge(other.words_);
}

// Exponentials are off by less than 2^-237 of themselves, and each exponential by less than a unit of the
// lowest one for what is below that. Of values that are far away each is 512 or more above the next one.
// (Lemma 81)
template <class Value>
template <std::size_t limbs>
typename ExponentialTotal<Value>::template Rest<limbs> ExponentialTotal<Value>::of_words(
    const WordWindow& words, std::uint64_t count) const {
    if (count == 0) return {};
    const Fixed<limbs> unit = Fixed<limbs>::units(1);
    if (is_far(value_[0])) return {{}, (Fixed<limbs>{count} >> 738) + unit};
    if (words.is_empty()) return {{}, unit};
    const LeadingLimbs scale = exponential_limbs(-Magnitude::of(value_[0]));
    const Fixed<limbs> sum = scaled<limbs>(integer_of(words.word()), words.lowest(), scale);
    const Fixed<limbs> below = scaled<limbs>(std::array{count}, words.lowest(), scale);
    return {sum, (sum >> 234) + below + below + Fixed<limbs>::units(4)};
}

// From words, those of all but the greatest value.
template <class Value>
template <std::size_t limbs>
typename ExponentialTotal<Value>::template Rest<limbs> ExponentialTotal<Value>::approximate_rest() const {
    ExponentialTotal total = *this;
    for (std::size_t i = 1; i < static_cast<std::size_t>(used_); ++i) total.add_other(value_[i], count_[i]);
    return of_words<limbs>(total.words_, total.others_);
}

// From the exponentials of the differences to the greatest value, as far as those are known.
template <class Value>
template <std::size_t limbs>
typename ExponentialTotal<Value>::template Rest<limbs> ExponentialTotal<Value>::accurate_rest() const {
    Rest<limbs> rest = of_words<limbs>(words_, others_);
    for (std::size_t i = 1; i < static_cast<std::size_t>(used_); ++i) {
        rest.sum += exponential_below<limbs>(value_[0], value_[i]) * count_[i];
        rest.error += Fixed<limbs>::units(u128{count_[i]} * Exponential<limbs>::units);
    }
    return rest;
}

// The slope of the logarithm is at most 1 from 1 on. (Lemma 74)
template <class Value>
template <std::size_t limbs>
bool ExponentialTotal<Value>::round(const Rest<limbs>& rest, const Finish& how, std::uint64_t& bits) const {
    Superaccumulator base;
    add_value(base, value_[0]);
    const Fixed<limbs> sum = Fixed<limbs>{count_[0]} + rest.sum;
    const Fixed<limbs> error = rest.error + Fixed<limbs>::units(Logarithm<limbs>::units);
    return round_within(base, Logarithm<limbs>::of(sum), false, error, how, bits);
}

template <class Value>
std::uint64_t ExponentialTotal<Value>::rounded(const Finish& how) const {
    const Finish itself{Finalize::itself, how.format, 1};
    Superaccumulator base;
    if (has_nan_ || has_infinity_ || used_ == 0) {
        has_nan_ ? base.add_nan() : base.add_infinity(!has_infinity_);
        return base.rounded(itself);
    }
    if (used_ == 1 && count_[0] == 1) {
        add_value(base, value_[0]);
        return base.rounded(itself);
    }
    std::uint64_t bits;
    constexpr std::size_t few = 4, many = 21;
    if (!round(approximate_rest<few>(), how, bits) && !round(approximate_rest<many>(), how, bits))
        round(accurate_rest<many>(), how, bits);
    return bits;
}

template class ExponentialTotal<double>;
template class ExponentialTotal<std::int64_t>;
template class ExponentialTotal<std::uint64_t>;

namespace {

template <Format format>
using Kept = std::conditional_t<format == Format::i64, std::int64_t,
                                std::conditional_t<format == Format::u64, std::uint64_t, double>>;

template <Format format>
void take(ExponentialTotal<Kept<format>>& total, const void* p) {
    if constexpr (is_float(format)) {
        const double x = double_at<format>(p);
        if (std::isfinite(x)) return total.add(x);
        if (std::isnan(x)) return total.add_nan();
        if (x > 0) total.add_infinity();
    } else {
        total.add(static_cast<Kept<format>>(bits_at<typename IntegerOf<format>::type>(p)));
    }
}

}  // namespace

const Method& exponential_total_method(Format in) {
    return *in_wide_format(in, []<Format f>() {
        using State = ExponentialTotal<Kept<f>>;
        return &States<State, f, take_each<State, take<f>>>::method;
    });
}

}  // namespace samesum
