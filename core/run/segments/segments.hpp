// Reductions of rows that share a label, in any order of the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "run/reduce/reduce.hpp"
#include "run/segments/segment_order.hpp"

namespace samesum {

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
