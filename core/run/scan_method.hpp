// Which method serves a scan.
#pragma once

#include "kernels/scan_method.hpp"
#include "run/reduce.hpp"

namespace samesum {

const ScanMethod& scan_method(Combine combine, Format in, Format out);

}  // namespace samesum
