// Normalizations of the lines along one axis, end to end.
#pragma once

#include "layout/plan.hpp"
#include "methods/norm_method.hpp"

namespace samesum {

enum class Normalization : std::uint8_t { softmax, log_softmax };

// `out` is C-contiguous, of the format and shape of x, which is a float format of 16 bits or more, and does
// not overlap it.
void normalize(const View& x, int axis, Normalization kind, void* out);

// Normalizations about a mean or by a norm over any axes, end to end.

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

// Normalizations by means and variances that are given.

// b + s (x - m) / root of (v + epsilon), with numbers of its own for each channel; rounded once.
struct BatchNormCall {
    View x;                     // of a float format of 16 bits or more
    const std::int64_t* steps;  // along each axis of x from one channel's number to the next; 0: the same one
    std::int64_t channels;
    const double *scale, *bias, *mean, *variance;
    double epsilon;
    void* out;  // C-contiguous, of the shape and format of x; shares no memory with it
};

void normalize_batch(const BatchNormCall& call);

}  // namespace samesum
