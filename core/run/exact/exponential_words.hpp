// Sums of exponentials of every format, in the double-words of float64.
#pragma once

#include "methods/method.hpp"

namespace samesum {

// Any format but the floats of eight bits; of integers they certify all but sums that are too great for a
// double and what double-words cannot tell.
Method exponential_words_method(Format in);

}  // namespace samesum
