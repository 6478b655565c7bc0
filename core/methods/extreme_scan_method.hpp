// What the methods of cumulative minima and maxima are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

// Columns of a tile of keys, which are numbers of up to eight bytes.
constexpr std::size_t key_columns = 1024;
struct alignas(64) ExtremeKeys {
    std::int64_t room[key_columns];
};

struct ExtremeScanMethod {
    // Set the keys of columns [0, n) to what every element wins against.
    void (*init)(ExtremeKeys& keys, std::size_t n);
    // Each prefix of n contiguous elements after those of column 0; without `out` the keys alone move on.
    void (*line)(ExtremeKeys& keys, const char* x, std::size_t n, char* out);
    // Each prefix of rows.rows whole lines of rows.n contiguous elements.
    void (*lines)(const ScanRows& rows);
    // Each prefix of the columns of rows.n <= key_columns elements, row after row, whose format is that of
    // the elements; likewise.
    void (*columns)(ExtremeKeys& keys, const ScanRows& rows);
    // Columns [0, n) of `from` join those of `keys`.
    void (*join)(ExtremeKeys& keys, const ExtremeKeys& from, std::size_t n);
};

// Every format x minimum, maximum.
struct ExtremeScanMethods {
    ExtremeScanMethod of[format_count][2];
};

}  // namespace samesum
