// What decides single prefixes of sums of exponentials is given and gives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"

namespace samesum {

// Elements per call, at most.
constexpr std::size_t prefix_elements = 1024;

// Of elements that are not above `top`: how many equal it, and the sum of e^(x - top) of the others. Nothing
// is known of a top that is not finite.
struct ExponentialPrefix {
    double top, equal = 0;
    Sum others;
};

struct ExponentialPrefixMethods {
    // Adds n <= prefix_elements elements; and the greatest of them, NaN where there is one.
    void (*add)(ExponentialPrefix& state, const double* x, std::size_t n);
    double (*greatest)(const double* x, std::size_t n);
    // Writes the logarithm in a float format; false where it is not certain.
    bool (*finish)(const ExponentialPrefix& state, Format format, void* out);
};

}  // namespace samesum
