// Prefixes of integers in float formats.
#pragma once

#include "methods/scan_method.hpp"

namespace samesum {

// Prefix sums: exact in 128 bits, rounded once each.
const ScanMethod& wide_scan_method(Format in);

// Leaves every prefix to the exact repair.
const ScanMethod& deferred_scan_method();

}  // namespace samesum
