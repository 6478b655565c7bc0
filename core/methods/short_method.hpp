// Whole sets of few elements at once, and short rows as columns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Contiguous rows of equal length become columns: element i of each of `rows` rows goes to run i of `to`; or
// the other way. All are aligned to the elements.
using Untangle = void (*)(const void* from, std::size_t rows, void* to);
constexpr std::size_t untangled_elements = 16;
constexpr std::size_t untangled_rows = 256, untangled_pitch = untangled_rows + 8;  // elements from run to run
// The same of any number of elements of each of the rows, which are `stride` elements apart, with runs
// `pitch` elements apart. The other way nothing is written but those elements.
using AnyUntangle = void (*)(const void* from, std::ptrdiff_t stride, std::size_t elements, std::size_t rows,
                             void* to, std::size_t pitch);
using AnyTangle = void (*)(const void* from, std::size_t pitch, std::size_t elements, std::size_t rows,
                           void* to, std::ptrdiff_t stride);

// Whole sets of 1 to `short_elements` elements at once: row r holds element r of each of n <= most_columns
// sets. Writes and returns as `finish` of a method does.
constexpr std::size_t short_elements = 64;
using Short = std::size_t (*)(const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                              void* out, std::uint8_t* failed);

}  // namespace samesum
