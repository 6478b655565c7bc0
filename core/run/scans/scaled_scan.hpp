// Prefix sums of float64 next to overflow or underflow, of the numbers times a power of two.
#pragma once

#include <vector>

#include "run/scans/repair.hpp"

namespace samesum {

// Writes the prefixes of a line's spans that can be certified so; returns the spans that are left.
std::vector<Failures::Span> scan_scaled(const ScanPlan& plan, const ScanMethod& method,
                                        const Failures::Span* first, const Failures::Span* last);

}  // namespace samesum
