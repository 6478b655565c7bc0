// A method of scanning: the prefixes of rows, columns and lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"

namespace samesum {

// A product (hi + lo) * 2^exponent of which up to `bound` was lost, relatively; the marks are the kernel's.
struct ProductCarry {
    double hi = 1, lo = 0, bound = 0;
    std::int64_t exponent = 0, mark = 0;
};

// Products of the lanes of triple_elements contiguous floats: (hi + mid + lo) * 2^exponent each, of which all
// of them together lose up to `lost`, relatively.
struct TripleLanes {
    static constexpr std::size_t most = 32;
    static constexpr double lost = 0x1p-130;
    alignas(64) double hi[most], mid[most], lo[most];
    alignas(64) std::int64_t exponent[most];
};
constexpr std::size_t triple_elements = 4096;

// The total of some elements, or of all so far on the way from one block of a scan to the next.
struct Carry {
    Sum sum;               // of floats
    double size = 0;       // of one block of floats: the sum of the magnitudes, nearly
    double shift = 0;      // likewise: see kernels/blocks/grid.hpp; zero unless all elements are on that grid
    __int128 integer = 0;  // of integers; its low bits where they are taken modulo 2^k; the key of an extreme
    ProductCarry product;  // of floats
};

// Elements per call of `row`, at most, and rows per call of `columns`, or where they are short.
constexpr std::size_t scan_elements = 512, scan_rows = 4, tall_rows = 32;

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
    bool stays = false;  // the prefixes, where they are written: `out` is no buffer
};

// As many side by side.
constexpr std::size_t scan_lines = 8;

// A tile has states for whole vectors.
constexpr std::size_t strip_columns(std::size_t n) { return (n + scan_lines - 1) / scan_lines * scan_lines; }

// Lines of n <= scan_elements contiguous elements, and where their prefixes go; the element number `depth` of
// each comes first. failed[line * n + i] tells which could not be certified, if any.
struct ScanLines {
    const char* const* x;
    char* const* out;
    std::size_t lines, n, depth;
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
constexpr std::size_t short_column = 8;

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
    // Add each row to the columns, of which `strip_columns(n)` have begun, and write their prefixes. Returns
    // how many could not be certified.
    std::size_t (*columns)(void* tile, const ScanRows& rows);
    // As `init`, of columns that go on from these carries; none if there is no `lines`.
    void (*start)(void* tile, const Carry* carries, std::size_t n) = nullptr;
    // The same of lines as columns of the tile, if the prefixes have the format in which they are scanned.
    std::size_t (*lines)(void* tile, const ScanLines& lines) = nullptr;
    // The same of whole short lines.
    std::size_t (*short_lines)(const ShortScanLines& lines) = nullptr;
    // The same of whole columns of 1 to short_column rows, or of up to `most_rows` that lie in the caches.
    std::size_t (*short_columns)(const ScanRows& rows) = nullptr;
    std::size_t most_rows = short_column;
    bool takes_tall = false;  // whether `columns` takes up to tall_rows rows of 8 columns or more
    // Every prefix of rows.rows lines of rows.n contiguous elements, of which none fails: null if there is no
    // such way.
    void (*whole_lines)(const ScanRows& rows) = nullptr;
    // From how many elements on `lines` is quicker than `row` for the parts of one line; never if zero.
    std::size_t least_part = 0;

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

}  // namespace samesum
