// Shape, strides and an axis become the lines or columns of a scan.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

struct ScanOptions {
    bool exclusive, reverse, include_initial;
};

// The loops: one line along the axis for each element of `lines`; in columns the innermost of them is
// `inner`.
struct ScanPlan {
    const char* data;  // the first element in the order of the scan
    char* out;         // where its inclusive prefix goes
    Dim axis;          // out in bytes here, as in `lines` and `inner`
    Dims lines;
    Dim inner;
    std::int64_t written;  // prefixes along the axis that are wanted: the exclusive scan drops the last one
    bool has_initial;      // the element before the first prefix is that of the empty set
    bool columns, swapped;
    Format in, format;

    // Of an element and of a prefix, and how many elements there are: calls of few elements ask often.
    std::int64_t item_bytes, result_bytes, count;

    std::int64_t item() const { return item_bytes; }
    std::int64_t result() const { return result_bytes; }
    std::int64_t elements() const { return count; }
    std::int64_t bytes() const { return count * item_bytes; }

    // Elements so many bytes apart can be read as they lie.
    bool lies(std::int64_t stride) const { return stride == item() && !swapped; }
    // n of them, side by side in native byte order: where they lie, or gathered into `buffer`. What is
    // `ahead` bytes beyond is asked for on the way.
    const char* elements_at(const char* p, std::int64_t stride, std::size_t n, char* buffer,
                            std::int64_t ahead = 0) const;
};

// `out` is C-contiguous, of `format`; with include_initial its axis is one longer.
ScanPlan plan_scan(const View& x, int axis, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
