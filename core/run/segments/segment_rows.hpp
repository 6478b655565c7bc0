// The rows of each segment, where they lie or as a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/room.hpp"
#include "run/segments/segment_order.hpp"

namespace samesum {

// Contiguous rows of each outer part, of so many columns of `size` bytes, and one more of each segment that
// comes before them, if there is one.
struct RowsOfLabels {
    const char* data;
    std::int64_t size, outer, columns;
    const char* self;
    std::int64_t segments;
};

class SegmentRows {
  public:
    SegmentRows(const RowsOfLabels& rows, SegmentOrder& order);

    // The rows of a segment and the one that comes before them, if there is one.
    std::int64_t count(std::int64_t segment) const {
        return order_.count(segment) + (rows_.self == nullptr ? 0 : 1);
    }
    // Bytes from one row to the next.
    std::int64_t pitch() const { return rows_.columns * rows_.size; }
    // Whether they can be read where they are, from `at` on, the one that comes before them apart.
    bool lie_together(std::int64_t segment) const {
        const std::int64_t first = order_.first(segment), n = order_.count(segment);
        return n > 0 && number(first + n - 1) - number(first) == n - 1;
    }
    const char* at(std::int64_t segment, std::int64_t outer, std::int64_t column) const {
        return row(outer, number(order_.first(segment)), column);
    }
    // The row that comes before them, or null.
    const char* own(std::int64_t segment, std::int64_t outer, std::int64_t column) const {
        if (rows_.self == nullptr) return nullptr;
        return rows_.self + ((outer * rows_.segments + segment) * rows_.columns + column) * rows_.size;
    }
    // Rows [begin, end) of a segment, `bytes` of each from a column on, side by side.
    void copy(std::int64_t segment, std::int64_t outer, std::int64_t column, std::int64_t bytes,
              std::int64_t begin, std::int64_t end, char* to) const;

  private:
    std::int64_t number(std::int64_t place) const {
        return numbers_.empty() ? place : numbers_[static_cast<std::size_t>(place)];
    }
    const char* row(std::int64_t outer, std::int64_t number, std::int64_t column) const {
        return rows_.data + ((outer * order_.rows() + number) * rows_.columns + column) * rows_.size;
    }

    RowsOfLabels rows_;
    const SegmentOrder& order_;
    std::optional<Room> sorted_;         // rows of few bytes, in order
    std::vector<std::int64_t> numbers_;  // of the rows in order; empty where they lie so
};

}  // namespace samesum
