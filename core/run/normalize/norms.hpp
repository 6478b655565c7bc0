// Normalizations about a mean or by a norm over any axes, end to end.
#pragma once

#include "layout/plan.hpp"
#include "methods/norm_method.hpp"

namespace samesum {

struct NormCall {
    const View& x;      // of a float format of 16 bits or more
    const bool* lines;  // the axes of a line
    NormRow row;
    // Of a float format of 16 bits or more and the shape of x, with strides of zero where they repeat; null:
    // one and zero.
    const View *scale, *bias;
    Format format;  // of the results
    void* out;      // C-contiguous, of the shape of x
    // 1 / d of each line, unless null.
    void* inverse;
    Format inverse_format;
};

void normalize_lines(const NormCall& call);

}  // namespace samesum
