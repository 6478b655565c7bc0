// Reductions of windows: what pools are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/reduce/reduce.hpp"

namespace samesum {

// The terms have one format and the rank and shape of `out`, with strides of zero where they repeat. `out` is
// C-contiguous, of `format`, and shares no memory with them.
void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out);

// The windows along one dimension: that of output i takes the count[i] elements first[i], first[i] +
// dilation, ... and adds weight[i] as a factor to what a mean divides by. Without `first` each element is a
// window of its own.
struct WindowAxis {
    std::int64_t outputs, dilation = 1;
    const std::int64_t *first = nullptr, *count = nullptr, *weight = nullptr;
};

// One axis for each dimension of x; `out` is C-contiguous and shares no memory with x. No element lies
// outside of x, and no weight is less than its count. A position is the sum of the elements' indices along
// each dimension times its index step, and -1 where a window has none.
struct WindowCall {
    View x;
    const WindowAxis* axes;
    const std::int64_t* index_steps;  // of positions alone
    Reduction row;
    Format format;
    void* out;
};

void reduce_windows(const WindowCall& call);

}  // namespace samesum
