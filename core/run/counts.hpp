// How many elements of an array have each value, or lie in each bin.
#pragma once

#include <cstdint>

namespace samesum {

// Adds to 2^16 counts how many of n words have each value.
void count_words(const std::uint16_t* x, std::int64_t n, std::int64_t* counts);

// Bins that begin at (first + k) * 2^exponent; first and first + size are below 2^30, and there are a few
// thousand bins at most.
struct Bins {
    int exponent;
    std::int64_t first, size;
};

// Adds to the counts of the bins how many elements lie in each. Returns the number of finite elements that
// lie in none.
template <class T>
std::int64_t count_bins(const T* x, std::int64_t n, const Bins& bins, std::int64_t* counts);

}  // namespace samesum
