// A reduction of the elements that several arrays have at the same place.
#pragma once

#include <cstddef>

#include "run/reduce/reduce.hpp"

namespace samesum {

// The terms have one format and the rank and shape of `out`, with strides of zero where they repeat. `out` is
// C-contiguous, of `format`, and shares no memory with them.
void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out);

}  // namespace samesum
