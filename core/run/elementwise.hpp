// Functions of each element of arrays.
#pragma once

#include "kernels/elementwise_method.hpp"
#include "layout/plan.hpp"

namespace samesum {

// f(x) of each element of a float array, in its format. `out` has the same shape, C-contiguous; it shares no
// memory with x.
void apply(Unary function, const View& x, void* out);

}  // namespace samesum
