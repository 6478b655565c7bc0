// Methods that are always right: superaccumulators for floats, wide integers for integers.
#pragma once

#include <string>

#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

// Any float format.
const Method& exact_method(Format format, Map map);

// Any integer format, in 192 bits.
const Method& wide_method(Format format, Map map);

// A state of its tiles: a whole number in two's complement, in words of 64 bits from the lowest. Squares of
// 64-bit integers need 128 bits each.
struct WideInteger {
    std::uint64_t word[3] = {};

    void add(u128 value, bool negative);
    void merge(const WideInteger& other);
    bool is_negative() const { return (word[2] >> 63) != 0; }
    WideInteger negated() const;
    WideInteger magnitude() const { return is_negative() ? negated() : *this; }
    // Of integers and floats, finished and rounded once.
    std::uint64_t rounded(const Finish& how) const;
    Superaccumulator total() const;

    // See KeptTotal.
    void encode(bool, std::string& to) const;
    static bool decode(const char*& from, const char* end, bool, WideInteger& total);
};

// True if 64 bits hold every sum of up to 2^31 mapped elements, so that the modular kernels are exact.
bool fits_64_bits(Format format, Map map);

// Floats of eight bits: each code stands in a table for what it adds, in integers.

// Sums, of any map and finalization, and extremes.
const Method& byte_sum_method(Format format, Map map);
const Method& byte_extreme_method(Format format, bool maximum);

// Variances by exact sums of the elements and of their squares: of floats of eight bits, and of integers.
const Method& byte_variance_method(Format format);
const Method& wide_variance_method(Format format);

// Prefixes of integers in float formats.

// Prefix sums: exact in 128 bits, rounded once each.
const ScanMethod& wide_scan_method(Format in);

// Leaves every prefix to the exact repair.
const ScanMethod& deferred_scan_method();

}  // namespace samesum
