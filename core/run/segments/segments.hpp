// Reductions of rows that share a label, in any order of the rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/reduce/reduce.hpp"
#include "run/tiles.hpp"

namespace samesum {

// Rows by the segments that their labels name.

// One label for each row, of 32 or 64 bits. Negative labels, where they are allowed, count from the end.
struct Labels {
    const void* data;
    bool narrow, negative;
    std::int64_t rows, segments;
};

template <class Label>
std::int64_t segment_of(const Labels& labels, std::int64_t row) {
    const std::int64_t label = static_cast<const Label*>(labels.data)[row];
    return labels.negative && label < 0 ? label + labels.segments : label;
}
inline std::int64_t segment_of(const Labels& labels, std::int64_t row) {
    return labels.narrow ? segment_of<std::int32_t>(labels, row) : segment_of<std::int64_t>(labels, row);
}

inline bool names(const Labels& labels, std::int64_t segment) {
    return static_cast<std::uint64_t>(segment) < static_cast<std::uint64_t>(labels.segments);
}

// The first of the rows that some of several parts takes, as many as the others or one more.
inline std::int64_t part_begin(std::int64_t rows, std::size_t part, std::size_t parts) {
    const auto i = static_cast<std::int64_t>(part), n = static_cast<std::int64_t>(parts);
    return rows / n * i + std::min(i, rows % n);
}

// A stable counting sort.
class SegmentOrder {
  public:
    explicit SegmentOrder(const Labels& labels);

    // The first row whose label names no segment; -1 if there is none. Otherwise nothing below is asked for.
    std::int64_t first_bad_label() const { return first_bad_label_; }
    std::int64_t rows() const { return labels_.rows; }
    std::int64_t count(std::int64_t segment) const { return first(segment + 1) - first(segment); }
    // The place of its first row among all rows in order.
    std::int64_t first(std::int64_t segment) const { return first_[static_cast<std::size_t>(segment)]; }
    // No label is less than the one before it: the rows are in order as they lie.
    bool is_sorted() const { return is_sorted_; }
    // The segments that have rows, those with fewer rows first.
    std::vector<std::int64_t> segments_by_count() const;

    // Once: the numbers of all rows, one segment after the other.
    std::vector<std::int64_t> take_numbers();

  private:
    std::int64_t begin_of(std::size_t part) const { return part_begin(labels_.rows, part, parts_); }
    template <class Label>
    std::int64_t count_part(std::size_t part, bool& is_sorted);

    const Labels labels_;
    const std::size_t parts_;
    std::vector<std::int64_t> starts_;  // by part and segment: the place of the next row
    std::vector<std::int64_t> first_;
    std::int64_t first_bad_label_ = -1;
    bool is_sorted_ = true;
};

// The rows of each segment, where they lie or as a copy.

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
    SegmentRows(const RowsOfLabels& rows, SegmentOrder& order)
        : rows_(rows),
          order_(order),
          numbers_(order.is_sorted() ? std::vector<std::int64_t>() : order.take_numbers()) {}

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
    std::vector<std::int64_t> numbers_;  // of the rows in order; empty where they lie so
};

// `x` is C-contiguous of shape (outer, labels.rows, columns) and of format `in`, `out` of shape (outer,
// labels.segments, columns). `self` is null, or of the shape of `out` and the format `in`: one more row of
// each segment. It does not overlap `out`.
struct SegmentCall {
    const char* x;
    Format in;
    std::int64_t outer, columns;
    Labels labels;
    const char* self;
    Reduction row;
    Format format;
    char* out;
};

// What was found: the first row whose label names no segment, in which case nothing is written, and the first
// segment without rows of `x`. -1 where there is none.
struct SegmentReport {
    std::int64_t first_bad_label = -1, empty = -1;
};

// Writes the results of all segments that have rows of `x`, and nothing else. No positions.
SegmentReport reduce_segments(const SegmentCall& call);

// Reductions of rows that are put in order by their labels first.

// Sums and extremes of single elements by their labels, each added where it goes as it comes.
struct ReducedByLabel {
    bool is_done = false;  // false: this is no such call, and nothing is written
    std::int64_t first_bad_label = -1, empty = -1;
    std::vector<std::int64_t> uncertain;  // segments whose results are left to other means
};

ReducedByLabel reduce_by_label(const SegmentCall& call);

// Does what reduce_segments does, for every such call; `order` has found no bad label.
void reduce_in_order(const SegmentCall& call, SegmentOrder& order);

}  // namespace samesum
