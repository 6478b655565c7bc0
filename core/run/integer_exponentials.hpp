// Sums of exponentials of integers, by the float64 method of the instruction set in use.
#pragma once

#include "kernels/method.hpp"

namespace samesum {

// Certifies all but what double-words cannot tell, and what is too great for a double. `out` is any format.
const Method& integer_exponential_method(Format in);

}  // namespace samesum
