// One segment of so many rows that threads share them.
#pragma once

#include <cstdint>

#include "run/segments/segment_rows.hpp"
#include "run/segments/segments.hpp"

namespace samesum {

// Some columns of some of the outer parts.
struct SegmentSlice {
    std::int64_t outer, outers, column, columns;
};

inline std::int64_t bytes_of_element(Format format) { return static_cast<std::int64_t>(size_of(format)); }

inline void reduce_segment_view(const SegmentCall& call, const View& view, int along, char* out) {
    bool reduced[3] = {};
    reduced[along] = true;
    reduce(view, reduced, call.row, call.format, out);
}

// Of one outer part: writes the results of its columns to `out`.
void reduce_long_segment(const SegmentCall& call, const SegmentRows& rows, std::int64_t segment,
                         const SegmentSlice& part, char* out);

}  // namespace samesum
