// Sums of exponentials in fixed point, for what faster methods cannot certify.
#pragma once

#include "methods/method.hpp"

namespace samesum {

// In 192 bits below the binary point, which decide nearly all, and in 1280, which decide the rest: any format
// in, any format out.
const Method& exponential_method(Format in);
const Method& long_exponential_method(Format in);

}  // namespace samesum
