// Which method serves a scan.
#pragma once

#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

const ScanMethod& scan_method(Combine combine, Format in, Format out);

}  // namespace samesum
