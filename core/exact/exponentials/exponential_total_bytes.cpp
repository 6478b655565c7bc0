// Sums of exponentials as bytes, and back.
#include <bit>
#include <cmath>

#include "exact/exponentials/exponential_total.hpp"
#include "exact/little_endian.hpp"

namespace samesum {

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
void ExponentialTotal<Value>::encode(std::string& to) const {
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
bool ExponentialTotal<Value>::decode(const char*& from, const char* end, ExponentialTotal& total) {
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

template class ExponentialTotal<double>;
template class ExponentialTotal<std::int64_t>;
template class ExponentialTotal<std::uint64_t>;

}  // namespace samesum
