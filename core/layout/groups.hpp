// Small groups of few columns each, as (100000, 5, 3) has along axis 1: each by itself would cost more than
// its elements.
#pragma once

#include <cstdint>

#include "layout/plan.hpp"

namespace samesum {

// Contiguous groups of so many rows and columns, one after the other.
struct Groups {
    const char* data;
    Format format;
    std::int64_t count, rows, columns;

    // An array along one of its axes; no groups if it does not lie so.
    static Groups along(const View& x, int axis);

    // Whether there are many, of no more columns and elements, that lie where they can be taken, like their
    // results.
    bool are_small(std::int64_t most_columns, std::int64_t most_elements, Format result,
                   const void* out) const;
    std::int64_t elements() const { return count * rows * columns; }
    std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(size_of(format)); }
    // Bytes of so many rows of some groups.
    std::size_t room_for(std::int64_t number, std::int64_t rows_of_each, Format of) const {
        return static_cast<std::size_t>(number * rows_of_each * columns) * samesum::size_of(of);
    }
    // How many make a block.
    std::int64_t together() const;
};

}  // namespace samesum
