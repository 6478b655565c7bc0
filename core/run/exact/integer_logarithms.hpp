// Logarithms of sums of integers.
#pragma once

#include "methods/method.hpp"

namespace samesum {

// The logarithms of exact totals, of which none fail, one by one: of tiles of 64 bits, and of those of
// `wide_method`.
std::size_t finish_signed_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                     std::uint8_t* failed);
std::size_t finish_unsigned_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed);
std::size_t finish_wide_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                   std::uint8_t* failed);

}  // namespace samesum
