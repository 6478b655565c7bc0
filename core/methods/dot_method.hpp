// What the methods of dot products are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "methods/method.hpp"

namespace samesum {

// `rows` rows of two operands, of n elements each; with `repeats` each row of b is one element.
struct DotRows {
    const char* a;
    std::ptrdiff_t a_stride;  // from row to row, in bytes
    const char* b;
    std::ptrdiff_t b_stride;  // likewise
    std::size_t rows, n;
    bool repeats;
};

// What a product of float64 may lose to underflow. (Lemma 2)
constexpr double product_underflow = 0x1p-1073;

struct DotMethod {
    // Set the totals of columns [0, n) to zero; n <= tile_columns.
    void (*init)(void* tile, std::size_t n);
    // Add the products of n <= block_elements contiguous elements of each of `rows` pairs of rows, a column
    // for each pair, from column j on.
    void (*lanes)(void* tile, std::size_t j, const char* const* a, const char* const* b, std::size_t n,
                  std::size_t rows);
    // Add the products of row after row, of at most block_elements rows, to the columns from j on.
    void (*columns)(void* tile, std::size_t j, const DotRows& rows);
    // Add column i of `from` to column j of `tile`.
    void (*merge)(void* tile, std::size_t j, const void* from, std::size_t i);
    // Write n results from column j on, all of whose products together lost at most `lost` to underflow;
    // failed[k] tells which could not be certified. Returns how many those are.
    std::size_t (*finish)(void* tile, std::size_t j, std::size_t n, double lost, Format format, void* out,
                          std::uint8_t* failed);
    // A total of floats.
    Sum (*total)(const void* tile, std::size_t j);
};

// Every float format of 16 bits or more; integers of 1, 2, 4 and 8 bytes, modulo 2^k.
struct DotMethods {
    DotMethod floats[4], integers[4];
};

}  // namespace samesum
