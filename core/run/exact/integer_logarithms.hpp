// Logarithms of sums of integers and of their exponentials, by the float64 methods of the instruction set in
// use.
#pragma once

#include "methods/method.hpp"

namespace samesum {

// Both certify all sums of exponentials, into any format, but those that are too great for a double and, the
// second one, what double-words cannot tell; the first, which is quicker, besides those where nearly all of
// the sum is its greatest element.
Method quick_exponential_method(Format in);
const Method& integer_exponential_method(Format in);

// The logarithms of exact totals, of which none fail, one by one: of tiles of 64 bits, and of those of
// `wide_method`.
std::size_t finish_signed_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                     std::uint8_t* failed);
std::size_t finish_unsigned_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed);
std::size_t finish_wide_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                   std::uint8_t* failed);

}  // namespace samesum
