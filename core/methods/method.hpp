// A method: one way of accumulating sets of elements into a tile of states and of finishing them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

enum class Map : std::uint8_t { itself, magnitude, square, exponential };
enum class Combine : std::uint8_t {
    sum,
    minimum,
    maximum,
    product,
    logical_and,
    logical_or,
    minimum_position,
    maximum_position,
    spread  // about the mean
};

constexpr bool is_extreme(Combine combine) {
    return combine == Combine::minimum || combine == Combine::maximum;
}
// Whether the order of the elements matters.
constexpr bool is_position(Combine combine) {
    return combine == Combine::minimum_position || combine == Combine::maximum_position;
}

enum class Finalize : std::uint8_t { itself, over_count, root, logarithm };
// Its place in a table.
constexpr std::size_t by(Finalize finalize) { return static_cast<std::size_t>(finalize); }

// States of up to `tile_columns` outputs, or of more if they are small, as arrays side by side; a method
// decides what lies in them.
constexpr std::size_t tile_columns = 1024;
// Of elements of so many bytes where their state takes no more: stretches of 4 KB are read at the speed of
// memory.
constexpr std::size_t columns_of(std::size_t size) { return size < 4 ? 4096 / size : tile_columns; }
constexpr std::size_t most_columns = columns_of(1);
// Their arrays are this many elements long: at powers of two apart they would share their places in the
// cache.
constexpr std::size_t tile_pitch = tile_columns + 24;
constexpr std::size_t tile_bytes = tile_pitch * 48;

// Elements per call of `lanes`, at most; the error bounds of the kernels count on it.
constexpr std::size_t block_elements = 8192;

struct Finish {
    Finalize finalize;
    Format format;          // of the result
    std::int64_t count;     // elements in each reduced set
    double correction = 0;  // of a variance: what the count is less than
    // Of methods that take them, the elements of each set, none of which is empty, where sets have different
    // numbers of them; readable in whole vectors.
    const double* counts = nullptr;
};

// Of the columns of a tile.
struct Centres {
    double *centre, *count;
};

struct Method {
    std::size_t max_columns;
    // Set the states of columns [0, n) to the identity.
    void (*init)(void* tile, std::size_t n);
    // Add n <= block_elements contiguous elements of each of `rows` rows, `row_stride` bytes apart, to the
    // columns from j on, a column for each row. Up to a vector of columns after them may be written again as
    // they are.
    void (*lanes)(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                  std::size_t rows);
    // Add element j of each of `rows` rows, `row_stride` bytes apart, to column j, for all j in [0, n).
    void (*columns)(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n);
    // Add n columns of `from`, from number i on, to those of `tile` from number j on; no column is both.
    void (*merge)(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n);
    // Write the n results; failed[j] tells which could not be certified. Returns how many those are.
    std::size_t (*finish)(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed);
    bool takes_counts = false;  // of each set, where it finishes
    // The centres and numbers of elements of the columns, where elements are added up about a centre: the
    // first one that a column gets. One equal to it adds nothing else. Null of other methods.
    Centres (*centres)(void* tile) = nullptr;
};

// `lanes` of a method from what it does with one row.
template <void (*lane)(void* tile, std::size_t j, const void* x, std::size_t n)>
void each_lane(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
               std::size_t rows) {
    const char* p = static_cast<const char*>(x);
    for (std::size_t r = 0; r < rows; ++r, p += row_stride) lane(tile, j + r, p, n);
}

// `merge` of a method from what it does with one column.
template <void (*merge)(void* tile, std::size_t j, const void* from, std::size_t i)>
void each_merge(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t k = 0; k < n; ++k) merge(tile, j + k, from, i + k);
}

}  // namespace samesum
