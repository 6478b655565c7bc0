// Exact sums of blocks of floats as integers, for totals that are kept: each is a multiple of a power of two
// that the block's exponent gives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// So many elements are added one by one where their block has no sum.
constexpr std::size_t exact_elements = 2048;

// Each lane of a block adds up at most so many elements.
constexpr std::size_t kept_additions = 256;

// A sum is part[0] * 2^(exponent - 52) + part[1] * 2^(exponent - 96), and of squares of float64 as much again
// of their low words, 2^53 times smaller.
constexpr std::size_t kept_parts = 4;
constexpr int kept_units[kept_parts] = {-52, -96, -105, -149};
// Blocks of widely spread numbers have a third grid each.
constexpr int deep_units[2] = {-140, -193};
// No part of so many blocks has more than 63 bits.
constexpr std::int32_t most_kept_blocks = 64;

constexpr std::int32_t no_exponent = INT32_MIN;

struct KeptPart {
    std::int32_t exponent = no_exponent;
    std::int64_t part[kept_parts] = {}, deep[2] = {};
};

// The sums of up to kept_additions rows of columns; `exponent` of each is given.
struct KeptColumns {
    const std::int32_t* exponent;
    std::int64_t* part[kept_parts];  // what is added to
    std::uint8_t* failed;            // of a column whose part is left as it was
};

struct KeptBlock {
    // The sum of the first of n contiguous elements, with the exponent of `sum` if that suits. Returns how
    // many those are, or 0 where they have no sum in these parts.
    std::size_t (*lane)(KeptPart& sum, const void* x, std::size_t n);
    // The mean magnitudes of some of the rows, times the number of rows.
    void (*sizes)(const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n, double* sizes);
    // Returns how many columns failed.
    std::size_t (*columns)(const KeptColumns& sums, const void* x, std::ptrdiff_t row_stride,
                           std::size_t rows, std::size_t n);
    std::int32_t exponent;  // of all sums, or no_exponent
};

struct KeptBlocks {
    KeptBlock block[4][3];  // every float format x map (itself, magnitude, square)
    // Of n finite floats narrower than float64: each is a multiple, to which the sum with the anchor rounds
    // it, and a rest. Writes whole vectors; returns the least magnitude but zero, or infinity.
    double (*split[3])(const void* x, std::size_t n, double anchor, double* multiple, double* rest);
    // Column j of a tile of WholeMethods::split, i8 ... u64 x map, in two's complement from the lowest word.
    void (*split_words[8][3])(const void* tile, std::size_t j, std::uint64_t (&words)[3]);
};

// The exponent that sums of this expected size need, and one with which they have room to grow. The sums of
// other blocks are joined as they are if theirs is the same.
constexpr std::int32_t least_kept_exponent = -700, greatest_kept_exponent = 900;

[[gnu::always_inline]] constexpr std::int32_t exponent_needed(double size) {
    const std::int32_t field = static_cast<std::int32_t>(__builtin_bit_cast(std::uint64_t, size) >> 52);
    return field - 1023 + 4;
}

// `before` if it suits; no_exponent if there is none.
[[gnu::always_inline]] constexpr std::int32_t kept_exponent(double size, std::int32_t before) {
    if (size == 0) return before;
    const std::int32_t needed = exponent_needed(size);
    if (needed <= before && before <= needed + 3) return before;
    return least_kept_exponent <= needed && needed < greatest_kept_exponent ? needed + 1 : no_exponent;
}

// The figures of a block of floats that its bits tell: how many elements are of each class, and the extremes.

// Elements per call, at most.
constexpr std::size_t statistics_elements = 4096;

// The extremes of the finite elements are order keys: the bits of a float as a signed integer, the magnitude
// bits of a negative one inverted. -0 is below +0.
struct BlockStatistics {
    std::int64_t nans = 0, positive_infinities = 0, negative_infinities = 0, zeros = 0, subnormals = 0;
    std::int64_t least = INT64_MAX, greatest = INT64_MIN;
    std::int64_t smallest = INT64_MAX;  // the bits of the least magnitude that is not zero
};

// By float format of more than eight bits. `finite` gets the elements, zeros in place of those that are not
// finite; x is aligned to its elements.
struct StatisticsMethods {
    void (*of[4])(const void* x, std::size_t n, void* finite, BlockStatistics& found);
};

}  // namespace samesum
