// Normalizations by means and variances that are given.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

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
