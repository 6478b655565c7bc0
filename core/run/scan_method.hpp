// Which method serves a scan.
#pragma once

#include "kernels/method.hpp"
#include "kernels/scan_method.hpp"

namespace samesum {

const ScanMethod& scan_method(Combine combine, Format in, Format out);

}  // namespace samesum
