#include "exact/exponentials/word_window.hpp"

namespace samesum {

void WordWindow::move_to(std::int64_t top) {
    const std::int64_t up = is_empty_ ? words : top - top_;
    for (std::int64_t i = 0; i < words; ++i)
        word_[static_cast<std::size_t>(i)] = i + up < words ? word_[static_cast<std::size_t>(i + up)] : 0;
    top_ = top;
    is_empty_ = false;
}

void WordWindow::merge(const WordWindow& other) {
    if (other.is_empty_) return;
    raise(other.top_);
    const std::int64_t down = top_ - other.top_;
    for (std::int64_t i = down; i < words; ++i)
        word_[static_cast<std::size_t>(i - down)] += other.word_[static_cast<std::size_t>(i)];
}

}  // namespace samesum
