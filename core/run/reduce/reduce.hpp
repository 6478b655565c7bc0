// A reduction, end to end: tiers of methods over the loops of a plan, on the pool.
#pragma once

#include <atomic>
#include <cstdint>

#include "layout/plan.hpp"
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

// `out` is C-contiguous, of `format`, and does not overlap the input. Every set has at least one element.
void reduce(const View& x, const bool* reduced, const Reduction& row, Format format, void* out);

// All of them, in one pass over the input where that is possible: positions whose elements do not lie in the
// order in which they are counted take one of their own.
void reduce_several(const View& x, const bool* reduced, const Result* results, std::size_t n);

// The value that loses to every other.
std::uint64_t worst(bool maximum, Format format);

// Writes what an empty set gives n times: the identity of the combine, finalized.
void fill_empty(const Reduction& row, Format format, void* out, std::int64_t n);

}  // namespace samesum
