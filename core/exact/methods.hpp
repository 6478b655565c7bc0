// Methods that are always right: superaccumulators for floats, wide integers for integers.
#pragma once

#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

// Any float format.
const Method& exact_method(Format format, Map map);

// Any integer format, in 192 bits.
const Method& wide_method(Format format, Map map);

// A state of its tiles: a whole number, in words of 64 bits from the lowest.
struct WholeWords {
    std::uint64_t word[3];
};

Superaccumulator wide_total_of(const WholeWords& words);

// Finished and rounded as the last of the tiers does.
std::uint64_t rounded_whole(const WholeWords& words, const Finish& how);

// True if 64 bits hold every sum of up to 2^31 mapped elements, so that the modular kernels are exact.
bool fits_64_bits(Format format, Map map);

}  // namespace samesum
