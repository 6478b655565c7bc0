// Reductions of the elements that a mask chooses.
#pragma once

#include "run/reduce/reduce.hpp"

namespace samesum {

// Does what `reduce_several` does with the elements that are chosen. Each set has one where a position is
// asked for, and where an extreme is, unless NaNs alone are left out. Where zeros are left out, elements are
// counted.
void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n);

}  // namespace samesum
