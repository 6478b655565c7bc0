// What reductions of arrays with and without a mask share.
#pragma once

#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

Manner manner_of(const Reduction& row, Format format);

Target target_of(const Plan& plan, const Result& result);

// The value that loses to every other.
std::uint64_t worst(bool maximum, Format format);

bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n);

// As `reduce_several` does, of the elements that are chosen: each set of an extreme's position has one, and
// of an extreme, unless NaNs alone are left out. Without zeros, elements are counted.
void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n);

}  // namespace samesum
