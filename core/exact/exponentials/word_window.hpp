// Sums of exponentials in the words of their grid: those below the greatest one's that matter, each added up
// without carries, so that what falls below is left out in every order alike.
#pragma once

#include <array>
#include <cstdint>

#include "exact/exponentials/fixed.hpp"
#include "exact/exponentials/word_exponential.hpp"

namespace samesum {

class WordWindow {
  public:
    static constexpr int words = 6;
    using Words = std::array<u128, words>;

    bool is_empty() const { return is_empty_; }
    // The greatest exponential's word; the others count from 2^(64 lowest()) on.
    std::int64_t top() const { return top_; }
    std::int64_t lowest() const { return top_ - (words - 1); }
    const Words& word() const { return word_; }

    void add(const WordExponential& x, std::uint64_t times) {
        raise(x.top);
        constexpr std::int64_t least = words - static_cast<std::int64_t>(WordExponential::count);
        const std::int64_t first = least - (top_ - x.top);
        if (first == least && times == 1) {
            for (std::size_t i = 0; i < WordExponential::count; ++i) word_[i + least] += x.word[i];
            return;
        }
        for (std::int64_t i = first < 0 ? -first : 0; i < static_cast<std::int64_t>(WordExponential::count);
             ++i)
            word_[static_cast<std::size_t>(first + i)] += u128{x.word[static_cast<std::size_t>(i)]} * times;
    }

    void merge(const WordWindow& other);

    static WordWindow of(std::int64_t top, const Words& word) {
        WordWindow window;
        window.top_ = top;
        window.word_ = word;
        window.is_empty_ = false;
        return window;
    }

  private:
    void raise(std::int64_t top) {
        if (!is_empty_ && top <= top_) return;
        move_to(top);
    }
    void move_to(std::int64_t top);

    std::int64_t top_ = 0;
    Words word_{};
    bool is_empty_ = true;
};

}  // namespace samesum
