// Figures of many sets of floats whose elements come in any order: classes, extremes and exact
// sums; and how many have each value, or lie in each bin.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exact/totals/kept_total.hpp"
#include "formats/format.hpp"
#include "methods/kept_blocks.hpp"

namespace samesum {

// The figures of one set. Its sums leave out what is not finite.
struct SetStatistics {
    std::array<std::int64_t, 5> counts{};  // NaNs, +inf, -inf, zeros, subnormals
    std::int64_t least = INT64_MAX, greatest = INT64_MIN, smallest = INT64_MAX;
    std::array<KeptTotal, 3> sums;  // of the elements, of their magnitudes, of their squares

    void take_all(const char* x, std::int64_t n, Format format);
    void merge(const SetStatistics& other);

  private:
    // One block, whose sums go to the first columns of a KeptTile.
    void take(const char* x, std::size_t n, Format format, void* tile);
};

class Statistics {
  public:
    // A float format of more than eight bits.
    Statistics(Format format, std::int64_t outputs)
        : format_(format), sets_(static_cast<std::size_t>(outputs)) {}
    Statistics(const Statistics&) = delete;

    // Adds n elements to each set: rows of a C-contiguous array.
    void add(const char* x, std::int64_t n);
    // Adds n elements of a file to the one set there is; where systems read at a place (not on Windows).
    // False, and the statistics are undefined, where the file ends before or cannot be read.
    bool add_file(int descriptor, std::int64_t offset, std::int64_t n);

    Format format() const { return format_; }
    const std::vector<SetStatistics>& sets() const { return sets_; }
    // The sums of one kind, as exact totals are encoded.
    std::string encoded(std::size_t map) const;

  private:
    const Format format_;
    std::vector<SetStatistics> sets_;
};

// Adds to 256 counts for each row how many of its n bytes have each value.
void count_bytes(const unsigned char* x, std::int64_t rows, std::int64_t n, std::int64_t* counts);

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
