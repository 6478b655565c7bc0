// Results of sets that have different numbers of elements.
#pragma once

#include <cstdint>
#include <vector>

#include "run/reduce/finish.hpp"

namespace samesum {

// How many elements each of n outputs has, whose results go to place(0) to place(n - 1).
template <class PlaceOf>
std::vector<std::int64_t> counts_of(const Target& target, std::size_t n, const PlaceOf& place) {
    std::vector<std::int64_t> counts(n);
    for (std::size_t j = 0; j < n; ++j) counts[j] = target.counts[place(j)];
    return counts;
}

// Does what the method's `finish` does, with a count for each output instead of one for all.
std::size_t finish_counted(const Target& target, std::size_t tier, void* tile,
                           const std::vector<std::int64_t>& counts, void* results, std::uint8_t* failed);

}  // namespace samesum
