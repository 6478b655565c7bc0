// The loops of a softmax, or of its logarithm, over an array as it lies.
#pragma once

#include "run/normalize/normalize.hpp"

namespace samesum {

// As `normalize` of run/normalize/normalize.hpp; inside a FloatingPointScope.
void normalize_loops(const View& x, int axis, Normalization kind, void* out);

}  // namespace samesum
