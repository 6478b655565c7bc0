// Whole sets of few elements whose rows lie anywhere.
#pragma once

#include <cstddef>

#include "methods/method.hpp"

namespace samesum {

// The results of n sets, side by side: element k of set j is element j of rows[k], of which there are 1 to
// `short_elements`. `divisor` is what a mean divides by, not less than the count of rows and at most
// `short_elements`. False if not all of them are certain.
using WindowSets = bool (*)(const char* const* rows, std::size_t count, std::size_t divisor, std::size_t n,
                            char* out);

struct WindowMethods {
    WindowSets sum[3][3][4];    // float16, bfloat16, float32 x map x finalize
    WindowSets extreme[12][2];  // f16 ... u64 (Format order) x minimum, maximum
};

}  // namespace samesum
