// How far ahead kernels ask for memory.
#pragma once

#include <cstddef>

namespace samesum {

// Hardware prefetchers of virtual machines are weak: kernels ask for lines themselves, so many bytes ahead of
// those that they read.
struct PrefetchDistances {
    std::size_t run;   // of what is read from front to end
    std::size_t tile;  // of tiles that are worked on for a while
    bool dense;        // whether elements that lie less than 16 bytes apart are to be asked for, too
};

// Those of this processor.
extern const PrefetchDistances prefetch_distances;

// Of columns that are scanned row by row, on all of them.
constexpr std::size_t rows_prefetch_distance = 8 << 10;

}  // namespace samesum
