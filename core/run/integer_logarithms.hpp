// Logarithms of sums of integers and of their exponentials, by the float64 methods of the instruction set in
// use.
#pragma once

#include "kernels/method.hpp"

namespace samesum {

// Certifies all sums of exponentials but what double-words cannot tell, and what is too great for a double;
// into any format.
const Method& integer_exponential_method(Format in);

// The logarithms of exact totals, of which none fail: of tiles of 64 bits, and of those of `wide_method`.
std::size_t finish_signed_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                     std::uint8_t* failed);
std::size_t finish_unsigned_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed);
std::size_t finish_wide_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                   std::uint8_t* failed);

}  // namespace samesum
