// Rows that lie side by side, several of them as one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "methods/method.hpp"

namespace samesum {

// Adds `rows` rows of n columns, `row` bytes apart, `fold` of them as one.
inline void add_folded(const Method& method, const char* p, std::int64_t row, std::int64_t rows,
                       std::size_t n, std::int64_t fold, void* tile) {
    const std::int64_t sets = rows / fold, rest = rows % fold;
    const std::size_t wide = n * static_cast<std::size_t>(fold);
    if (sets > 0) method.columns(tile, p, row * fold, static_cast<std::size_t>(sets), wide);
    if (rest > 0) method.columns(tile, p + sets * fold * row, 0, 1, n * static_cast<std::size_t>(rest));
}

}  // namespace samesum
