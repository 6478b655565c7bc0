// Exact sums of short blocks of floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Elements per call, at most.
constexpr std::size_t exact_elements = 2048;
// So many bits of a counted multiple are its count. The multiple has 51 bits and a sign: 63 of them add up.
constexpr int count_bits = 6;

// Some numbers whose exact sum is the total of a block.
struct ExactParts {
    double part[4] = {};
    bool known = false;  // false: the block has no such total in few numbers, or elements that are not finite
};

// Contiguous rows of floats narrower than float64: the bits of each element's sum with the anchor are added,
// modulo 2^64, to the word of its column in the row's place. A place has `pitch` words, of which those after
// the last column, up to a vector, are written, too.
struct RowWords {
    const void* x;
    std::size_t rows, columns;
    const std::uint64_t* places;
    double anchor;
    std::uint64_t* words;
    std::size_t pitch;
};
constexpr std::size_t row_words_vector = 8;  // words of the widest vector

// The greatest magnitude of the elements, infinity if one of them is not finite; and whether every sum with
// the anchor was exact.
struct RowReport {
    double greatest;
    bool is_exact;
};

// Every float format x map (itself, magnitude, square): the total of n contiguous elements.
struct ExactBlocks {
    ExactParts (*total[4][3])(const void* x, std::size_t n);
    // Of n <= exact_elements finite floats narrower than float64: each is a multiple, to which the sum with
    // the anchor rounds it, and a rest. Writes whole vectors; returns the least magnitude but zero, or
    // infinity.
    double (*split[3])(const void* x, std::size_t n, double anchor, double* multiple, double* rest);
    // The same multiples, to which sums with the anchor round, as integers: times 2^count_bits, and one, so
    // that sums of them count their terms. Returns whether each element is its multiple.
    bool (*counted[3])(const void* x, std::size_t n, double anchor, std::int64_t* to);
    RowReport (*row_words[3])(const RowWords& rows);
};

}  // namespace samesum
