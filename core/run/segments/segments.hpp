// Reductions of rows that share a label, in any order of the rows.
#pragma once

#include <cstdint>

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

}  // namespace samesum
