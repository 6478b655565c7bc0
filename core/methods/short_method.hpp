// Whole sets of few elements at once, and short rows as columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "methods/method.hpp"

namespace samesum {

// Contiguous rows of equal length become columns: element i of each of `rows` rows goes to run i of `to`; or
// the other way. All are aligned to the elements.
using ToColumns = void (*)(const void* from, std::size_t rows, void* to);
constexpr std::size_t transposed_elements = 16;
constexpr std::size_t transposed_rows = 256,
                      transposed_pitch = transposed_rows + 8;  // elements from run to run
// The same of any number of elements of each of the rows, which are `stride` elements apart, with runs
// `pitch` elements apart. The other way nothing is written but those elements.
using AnyToColumns = void (*)(const void* from, std::ptrdiff_t stride, std::size_t elements, std::size_t rows,
                              void* to, std::size_t pitch);
using AnyToRows = void (*)(const void* from, std::size_t pitch, std::size_t elements, std::size_t rows,
                           void* to, std::ptrdiff_t stride);

// Whole sets of 1 to `short_elements` elements at once: row r holds element r of each of n <= most_columns
// sets. Writes and returns as `finish` of a method does.
constexpr std::size_t short_elements = 64;
using Short = std::size_t (*)(const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                              void* out, std::uint8_t* failed);

// Whole sets of few elements whose rows lie anywhere.

// The results of n sets, side by side: element k of set j is element j of rows[k], of which there are 1 to
// `short_elements`. `divisor` is what a mean divides by, not less than the count of rows and at most
// `short_elements`. False if not all of them are certain.
using WindowSets = bool (*)(const char* const* rows, std::size_t count, std::size_t divisor, std::size_t n,
                            char* out);

struct WindowMethods {
    WindowSets sum[3][3][4];    // float16, bfloat16, float32 x map x finalize
    WindowSets extreme[12][2];  // f16 ... u64 (Format order) x minimum, maximum
};

}  // namespace samesum
