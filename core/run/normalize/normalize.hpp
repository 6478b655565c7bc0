// Normalizations of the lines along one axis, end to end.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

enum class Normalization : std::uint8_t { softmax, log_softmax };

// `out` is C-contiguous, of the format and shape of x, which is a float format of 16 bits or more, and does
// not overlap it.
void normalize(const View& x, int axis, Normalization kind, void* out);

}  // namespace samesum
