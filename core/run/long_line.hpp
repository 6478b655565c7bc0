// One line of several blocks on all threads.
#pragma once

#include "kernels/method.hpp"

namespace samesum {

struct LineMethod {
    const NormalizationMethods& methods;
    std::size_t format, kind;
};

// Normalizes n contiguous elements.
void normalize_long_line(const LineMethod& method, const char* x, std::size_t n, char* out);

}  // namespace samesum
