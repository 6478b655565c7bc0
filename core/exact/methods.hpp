// Methods that are always right: superaccumulators for floats, wide integers for integers.
#pragma once

#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

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

// Floats of eight bits: each code stands in a table for what it adds, in integers.

// Sums, of any map and finalization, and extremes.
const Method& byte_sum_method(Format format, Map map);
// One total of a tile of sums.
Superaccumulator byte_total(Format format, Map map, const void* tile, std::size_t j);

const Method& byte_extreme_method(Format format, bool maximum);

// Prefixes of integers in float formats.

// Prefix sums: exact in 128 bits, rounded once each.
const ScanMethod& wide_scan_method(Format in);

// Leaves every prefix to the exact repair.
const ScanMethod& deferred_scan_method();

}  // namespace samesum
