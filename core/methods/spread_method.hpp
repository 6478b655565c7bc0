// The methods of variances of one instruction set.
#pragma once

#include "methods/certificates.hpp"
#include "methods/method.hpp"

namespace samesum {

struct SpreadMethods {
    Method narrow[3];  // float16, bfloat16, float32, into no wider format: float64 lanes
    Method wide[12];   // f16 ... u64 (Format order): double-word lanes
    Method few;        // float64: the same of few elements
    // Of both: the squares about the mean, hi, lo and bound.
    StateReader reader;
};

}  // namespace samesum
