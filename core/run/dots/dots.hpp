// Dot products: reductions of pairs of elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// Along one dimension of a view of pairs: each the exact sum of the exact products, rounded once to `result`;
// of integers modulo 2^k in the format of the elements, which are no byte floats and no booleans. There is at
// least one vector, and one element in each.
void dot_products(const View& x, const bool* reduced, Format result, void* out);

// Does what `accumulate` does, for plans of pairs.
struct Range;
void accumulate_pairs(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                      void* tile);

}  // namespace samesum
