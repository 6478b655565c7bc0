// Prefix sums and products along one axis, end to end.
#pragma once

#include <cstdint>

#include "kernels/method.hpp"
#include "layout/scan_plan.hpp"

namespace samesum {

// Below these many bytes of elements one thread is as quick as two, and as two of which one is woken first.
constexpr std::int64_t scan_threaded_bytes = 128 << 10, scan_brief_bytes = 512 << 10;

// `out` is C-contiguous, of `format`, and does not overlap the input; with include_initial its axis is one
// longer.
void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
