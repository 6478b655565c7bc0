// What is reduced, and where a result goes.
#pragma once

#include <atomic>
#include <cstdint>

#include "methods/method.hpp"

namespace samesum {

// Since the last reset: outputs of reductions each tier certified (float64 lanes, double-words,
// superaccumulator), lines scanned, and prefixes that needed the superaccumulator.
struct Counters {
    std::atomic<std::uint64_t> reductions[3], scan_lines, scan_exact;
};
extern Counters counters;

struct Reduction {
    Map map;
    Combine combine;
    Finalize finalize;
    bool last;              // of equal extremes, the position of the last one
    double correction = 0;  // of a variance: what the count is less than
};

// One of several results of the same sets; `out` is C-contiguous over the kept dimensions.
struct Result {
    Reduction row;
    Format format;
    void* out;
};

}  // namespace samesum
