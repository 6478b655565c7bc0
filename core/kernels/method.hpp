// A method: one way of accumulating sets of elements into a tile of states and of finishing them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exact/error_free.hpp"
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
    maximum_position
};
// Whether the order of the elements matters.
constexpr bool is_position(Combine combine) { return combine >= Combine::minimum_position; }

enum class Finalize : std::uint8_t { itself, over_count, root, logarithm };

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
    Format format;       // of the result
    std::int64_t count;  // elements in each reduced set
};

struct Method {
    std::size_t max_columns;
    // Set the states of columns [0, n) to the identity.
    void (*init)(void* tile, std::size_t n);
    // Add n <= block_elements contiguous elements of each of `rows` rows, `row_stride` bytes apart, to the
    // columns from j on, a column for each row.
    void (*lanes)(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                  std::size_t rows);
    // Add element j of each of `rows` rows, `row_stride` bytes apart, to column j, for all j in [0, n).
    void (*columns)(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n);
    // Add column i of `from` to column j of `tile`.
    void (*merge)(void* tile, std::size_t j, const void* from, std::size_t i);
    // Write the n results; failed[j] tells which could not be certified. Returns how many those are.
    std::size_t (*finish)(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed);
};

// `lanes` of a method from what it does with one row.
template <void (*lane)(void* tile, std::size_t j, const void* x, std::size_t n)>
void each_lane(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
               std::size_t rows) {
    const char* p = static_cast<const char*>(x);
    for (std::size_t r = 0; r < rows; ++r, p += row_stride) lane(tile, j + r, p, n);
}

// A product (hi + lo) * 2^exponent of which up to `bound` was lost, relatively; the marks are the kernel's.
struct ProductCarry {
    double hi = 1, lo = 0, bound = 0;
    std::int64_t exponent = 0, mark = 0;
};

// The total of some elements, or of all so far on the way from one block of a scan to the next.
struct Carry {
    Sum sum;               // of floats
    double size = 0;       // of one block of floats: the sum of the magnitudes, nearly
    double shift = 0;      // likewise: see kernels/grid.hpp; zero unless all elements are on that grid
    __int128 integer = 0;  // of integers; its low bits where they are taken modulo 2^k
    ProductCarry product;  // of floats
};

// Elements per call of `row`, at most, and rows per call of `columns`.
constexpr std::size_t scan_elements = 512, scan_rows = 4;

// Rows of n elements, and where their prefixes go; the row number `depth` of the scan comes first. failed[r *
// n + j] tells which could not be certified, if any.
struct ScanRows {
    const char* x;
    std::ptrdiff_t in;  // from row to row, in bytes
    char* out;
    std::ptrdiff_t to;  // likewise
    std::size_t rows, n, depth;
    Format format;  // of the prefixes
    std::uint8_t* failed;
};

// As many side by side.
constexpr std::size_t scan_lines = 8;

// Lines of n <= scan_elements contiguous elements, and where their prefixes go; the element number `depth` of
// each comes first. A line may be several scans by turns: those of `columns` of the tile at a distance of
// scan_lines, from each of which the same number of elements comes. failed[line * n + i] tells which could
// not be certified, if any.
struct ScanLines {
    const char* const* x;
    char* const* out;
    std::size_t lines, columns, n, depth;
    Format format;
    std::uint8_t* failed;
};
// Whole lines of n <= short_line elements, whose prefixes follow one another; failed as in
// ScanLines.
struct ShortScanLines {
    const char* x;
    // From line to line, in bytes; lines of fewer elements than a vector has follow one another.
    std::ptrdiff_t pitch;
    char* out;
    std::size_t lines, n;
    Format format;
    std::uint8_t* failed;
};
constexpr std::size_t short_line = 64;

struct ScanMethod {
    Carry identity;
    // Of n <= scan_elements contiguous elements.
    Carry (*total)(const void* x, std::size_t n);
    // Add a total to the carry.
    void (*join)(Carry& carry, const Carry& part);
    // Write every prefix of n <= scan_elements contiguous elements, whose total is `part`, that come after
    // `carry`, rounded to `format`; failed[i] tells which could not be certified, if any. Returns how many
    // those are.
    std::size_t (*row)(const Carry& carry, const Carry& part, const void* x, std::size_t n, Format format,
                       void* out, std::uint8_t* failed);
    void (*init)(void* tile, std::size_t n);
    // Add each row to the columns and write their prefixes. Returns how many could not be certified.
    std::size_t (*columns)(void* tile, const ScanRows& rows);
    // As `init`, of columns that go on from these carries; none if there is no `lines`.
    void (*start)(void* tile, const Carry* carries, std::size_t n) = nullptr;
    // The same of lines as columns of the tile, if the prefixes have the format in which they are scanned.
    std::size_t (*lines)(void* tile, const ScanLines& lines) = nullptr;
    // The same of whole short lines.
    std::size_t (*short_lines)(const ShortScanLines& lines) = nullptr;
    bool takes_parts = false;      // whether `lines` is quicker than `row` for the parts of one line
    bool takes_long_lines = true;  // whether it is for lines too long for one call

    constexpr bool takes_lines() const { return lines != nullptr; }
};

// `columns` of a scan from what it does with one row.
template <std::size_t (*column)(void* tile, const void* x, std::size_t n, std::size_t depth, Format format,
                                void* out, std::uint8_t* failed)>
std::size_t each_row(void* tile, const ScanRows& rows) {
    std::size_t failures = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
        failures += column(tile, rows.x + at * rows.in, rows.n, rows.depth + r, rows.format,
                           rows.out + at * rows.to, rows.failed + r * rows.n);
    }
    return failures;
}

// The methods of one instruction set, each of these structures filled by a source of its own.
struct ProductMethods {
    Method real[4];                 // every float format
    Method modular[8][2];           // i8 ... u64 x (own width, 64 bits): integers modulo 2^k
    ScanMethod scan_real[4][4];     // every float format x that of the prefixes
    ScanMethod scan_modular[8][4];  // i8 ... u64 x prefixes of 1, 2, 4, 8 bytes
};

struct SearchMethods {
    Method position[12][2][2];  // f16 ... u64 (Format order) x minimum, maximum x first, last
    Method logical[12][2];      // f16 ... u64 x and, or
};

// Of integers, for results that are no sums modulo 2^k.
struct WholeMethods {
    Method split[8][3];  // i8 ... u64 x map: those of 64 bits, and squares of 32 bits; the others are empty
    decltype(Method::finish) finish_signed, finish_unsigned;  // of tiles of 64-bit totals that did not wrap
};

struct ExponentialMethods {
    Method sum1[3];   // float16, bfloat16, float32: exponentials in float64
    Method sum2[4];   // every float format: exponentials in double-words
    Method whole[8];  // i8 ... u64: exponentials from a table, in tiles of sum2 for float64
};

// Contiguous rows of equal length become columns: element i of each of `rows` rows goes to run i of `to`; or
// the other way. All are aligned to the elements.
using Untangle = void (*)(const void* from, std::size_t rows, void* to);
constexpr std::size_t untangled_elements = 16;
constexpr std::size_t untangled_rows = 256, untangled_pitch = untangled_rows + 8;  // elements from run to run

struct UntangleMethods {
    // 1, 2, 4, 8 bytes x elements in a row, from 2 on
    Untangle of_size[4][untangled_elements + 1], back[4][untangled_elements + 1];
};

// Whole sets of 2 to `short_elements` elements at once: row r holds element r of each of n <= most_columns
// sets. Writes and returns as `finish` of a method does.
constexpr std::size_t short_elements = untangled_elements;
using Short = std::size_t (*)(const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                              void* out, std::uint8_t* failed);

// Into the format of the elements; empty where there is no such way.
struct ShortMethods {
    Short sum[4][3][4];    // every float format x map x finalize
    Short product[4];      // every float format
    Short extreme[12][2];  // f16 ... u64 (Format order) x minimum, maximum
    Short logical[12][2];  // f16 ... u64 x and, or: into bytes of 0 and 1
    Short position[12][2][2];  // f16 ... u64 x minimum, maximum x first, last: into 64 bits
};

// Of integers, i8 ... u64.
struct ShortIntegerMethods {
    Short sum[8][2][3], product[8][2];  // modulo 2^k, as ProductMethods and Methods have them
    // By finalize: means and logarithms of sums, into float64; roots of sums of squares, into 64 bits.
    Short whole[8][4];
};

// Elements of a line whose powers are added by themselves before they join the others'.
constexpr std::size_t line_block = 16384;

// What a block adds to its line: the sum of its powers, and how many greatest elements were counted instead.
struct LineShare {
    double total = 0, rest = 0;  // of float64 in two words
    std::int64_t count = 0;

    LineShare& operator+=(const LineShare& other) {
        double error;
        two_sum(total, other.total, total, error);
        rest += other.rest + error;
        count += other.count;
        return *this;
    }
};

// `count` neighbouring lines of n <= line_block elements: where the first element of each is, and its
// results.
struct LineColumns {
    const char* x;
    std::ptrdiff_t in;  // from one element of a line to the next, in bytes
    char* out;
    std::ptrdiff_t to;  // likewise
    std::size_t n, count;
};

// Bytes that `columns` needs, 64 byte by 64 byte.
constexpr std::size_t room_for_columns(std::size_t n) { return 2 * 64 * n; }

// Softmax [0] and its logarithm [1] of every float format.
struct NormalizationMethods {
    // Of n >= 1 contiguous elements.
    void (*line[4][2])(const void* x, std::size_t n, void* out);
    // Of long lines in blocks of line_block: the greatest element of a block, then its share of the line of
    // which this is the greatest and finite, then, if the total is not NaN, its results.
    double (*greatest[4])(const void* x, std::size_t n);
    LineShare (*share[4][2])(const void* x, std::size_t n, double most);
    void (*quotients[4][2])(const void* x, std::size_t n, double most, const LineShare& all, void* out);
    void (*columns[4][2])(const LineColumns& lines, void* room);
};

struct Methods {
    Method sum1[3][3][2];     // float16, bfloat16, float32 x map x (many, few elements): float64 lanes
    Method sum2[4][3];        // every float format x map: double-word lanes
    Method sum2_few[2];       // float64 x (itself, magnitude): likewise, of few elements
    Method sum3[2];           // float64 x (itself, magnitude): on grids
    Method extreme[12][2];    // f16 ... u64 (Format order) x minimum, maximum
    Method modular[8][2][3];  // i8 ... u64 x (own width, 64 bits) x map: integers modulo 2^k
};

struct ScanMethods {
    ScanMethod real[4][4];     // every float format x that of the prefixes
    ScanMethod modular[8][4];  // i8 ... u64 x prefixes of 1, 2, 4, 8 bytes
};

}  // namespace samesum
