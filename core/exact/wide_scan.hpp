// Prefix sums of integers into float formats: exact in 128 bits, rounded once each.
#pragma once

#include "kernels/method.hpp"

namespace samesum {

const ScanMethod& wide_scan_method(Format in);

}  // namespace samesum
