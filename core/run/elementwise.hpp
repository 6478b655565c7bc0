// Functions of each element of arrays.
#pragma once

#include <vector>

#include "layout/plan.hpp"
#include "methods/elementwise_method.hpp"

namespace samesum {

// f(x) of each element of a float array, in its format. `out` has the same shape, C-contiguous; it shares no
// memory with x.
void apply(Unary function, const View& x, void* out);

// x^y of each element of a float array, in the format of x, whatever that of y; rounded once. x and y have
// the rank and, but for dimensions of stride 0, the shape of `out`.
void raise_to_power(const View& x, const View& y, void* out);

// One operation of several, each on results of those before it: x and y are numbers of arrays or, behind
// them, of rooms, of which one receives the result unless it is the last. Each is rounded to the format of
// the arrays.
struct Combination {
    Arithmetic operation;
    std::uint8_t x, y, to;
};

constexpr std::size_t most_rooms = 4, most_combined = 16;  // arrays

// Arrays of float16, bfloat16 or float32, all of one format, as in `raise_to_power`.
void combine(const std::vector<Combination>& steps, const std::vector<View>& arrays, void* out);

}  // namespace samesum
