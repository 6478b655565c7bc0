// What reductions of arrays with and without a mask share.
#pragma once

#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

Manner manner_of(const Reduction& row, Format format);

Target target_of(const Plan& plan, const Result& result);

// One or several results of the same sets in one pass over the array: `most_results` at most. A position
// needs a plan that is ordered.
void run_job(const Plan& plan, const Target* targets, std::size_t count);

// The value that loses to every other.
std::uint64_t worst(bool maximum, Format format);

bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n);

// Does what `reduce_several` does with the elements that are chosen. Each set has one where a position is
// asked for, and where an extreme is, unless NaNs alone are left out. Where zeros are left out, elements are
// counted.
void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n);

}  // namespace samesum
