// Variances by exact sums of the elements and of their squares.
#pragma once

#include "methods/method.hpp"

namespace samesum {

// Of every format; it never fails.
const Method& exact_variance_method(Format format);

}  // namespace samesum
