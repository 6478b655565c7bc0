// Convolutions: products of weights and of windows of data, which overlap.
#pragma once

#include "contractions/contraction.hpp"
#include "layout/plan.hpp"

namespace samesum {

// Along an axis output i is the sum over j of the data at start + i step + j reach, zero beyond its ends,
// times number j of a kernel. Of one output the step is anything, of one tap the reach.
struct Taps {
    std::int64_t start, step, reach, outputs, taps;
};

// contract(call) with the windows of x (batch, groups, channels, axes) as `b`: batches are the groups,
// columns the outputs of each of x's batch, terms the taps of each channel.
void convolve(Contraction& call, const View& x, const std::vector<Taps>& axes);

}  // namespace samesum
