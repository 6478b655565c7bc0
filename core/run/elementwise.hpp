// Functions of each element of arrays.
#pragma once

#include "layout/plan.hpp"
#include "methods/elementwise_method.hpp"

namespace samesum {

// f(x) of each element of a float array, in its format. `out` has the same shape, C-contiguous; it shares no
// memory with x.
void apply(Unary function, const View& x, void* out);

// x^y of each element of a float array, in the format of x, whatever that of y; rounded once. x and y have
// the rank and, but for dimensions of stride 0, the shape of `out`.
void raise_to_power(const View& x, const View& y, void* out);

// x and y combined, of float16 or bfloat16 both, in their format; as in `raise_to_power`.
void calculate(Arithmetic operation, const View& x, const View& y, void* out);

}  // namespace samesum
