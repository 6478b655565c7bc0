// Whole sets of few elements whose rows lie anywhere.
#pragma once

#include <cstddef>

#include "methods/method.hpp"

namespace samesum {

// Elements side by side.
struct WindowSpan {
    const char* data;
    std::size_t count;
};

// Element k of set j is element j of rows[k]. There are 1 to `short_elements` rows; they lie in the spans, as
// many in the first `residues` of them, up to four, as in the next ones, at the same places.
struct WindowElements {
    const char* const* rows;
    std::size_t count;
    const WindowSpan* spans;
    std::size_t span_count, residues;
};

// The results of n sets, side by side; `divisor` is what a mean divides by, not less than the count of rows
// and at most `short_elements`. False if not all of them are certain or known.
using WindowSets = bool (*)(const WindowElements& elements, std::size_t divisor, std::size_t n, char* out);

struct WindowMethods {
    WindowSets sum[3][3][4];    // float16, bfloat16, float32 x map x finalize
    WindowSets extreme[12][2];  // f16 ... u64 (Format order) x minimum, maximum
};

}  // namespace samesum
