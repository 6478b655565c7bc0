// A reduction, end to end: tiers of methods over the loops of a plan, on the pool.
#pragma once

#include <cstdint>

#include "layout/plan.hpp"
#include "run/reduce/reduction.hpp"

namespace samesum {

// `out` is C-contiguous, of `format`, and does not overlap the input. Every set has at least one element.
void reduce(const View& x, const bool* reduced, const Reduction& row, Format format, void* out);

// All of them, in one pass over the input where that is possible: positions whose elements do not lie in the
// order in which they are counted take one of their own.
void reduce_several(const View& x, const bool* reduced, const Result* results, std::size_t n);

// Writes what an empty set gives n times: the identity of the combine, finalized.
void fill_empty(const Reduction& row, Format format, void* out, std::int64_t n);

}  // namespace samesum
