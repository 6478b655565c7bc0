// How many elements a mask chooses.
#pragma once

#include <algorithm>

#include "kernels/vectors/mask_bytes.hpp"

namespace samesum::SAMESUM_ISA {

using ManyBytes = typename VectorOf<std::uint8_t, vector_bytes>::type;

// Adds 1 to the elements of `ones` where the mask is not zero, at most 255 times.
SAMESUM_INLINE void add_ones(const std::uint8_t* mask, ManyBytes& ones) {
    ones -= reinterpret_cast<ManyBytes>(load<ManyBytes>(mask) != 0);
}

inline std::size_t count_chosen(const std::uint8_t* mask, std::size_t n) {
    constexpr std::uint64_t pairs = 0x00ff00ff00ff00ff, sums = 0x0001000100010001;
    std::size_t count = 0, i = 0;
    while (n - i >= vector_bytes) {
        const std::size_t end = i + std::min<std::size_t>((n - i) / vector_bytes, 255) * vector_bytes;
        ManyBytes ones = {};
        for (; i < end; i += vector_bytes) {
            prefetch_run<vector_bytes>(reinterpret_cast<const char*>(mask + i));
            add_ones(mask + i, ones);
        }
        const UnsignedLongs bytes = reinterpret_cast<UnsignedLongs>(ones);
        const UnsignedLongs eights = ((bytes & pairs) + (bytes >> 8 & pairs)) * sums >> 48;
        for (std::size_t k = 0; k < width; ++k) count += eights[k];
    }
    for (; i < n; ++i) count += mask[i] != 0;
    return count;
}

// Of the columns of a vector.
inline void count_chosen_of_some(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                                 std::int64_t* counts) {
    std::fill_n(counts, vector_bytes, 0);
    while (rows > 0) {
        const std::size_t now = std::min<std::size_t>(rows, 255);
        ManyBytes ones = {};
        for (std::size_t r = 0; r < now; ++r, mask += row_stride) add_ones(mask, ones);
        std::uint8_t each[vector_bytes];
        store(each, ones);
        for (std::size_t k = 0; k < vector_bytes; ++k) counts[k] += each[k];
        rows -= now;
    }
}

inline void count_chosen_of_columns(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                                    std::size_t n, std::int64_t* counts) {
    if (n >= vector_bytes) {
        for (std::size_t j = 0; j + vector_bytes <= n; j += vector_bytes)
            count_chosen_of_some(mask + j, row_stride, rows, counts + j);
        // The last columns, some of them a second time.
        const std::size_t last = n - vector_bytes;
        if (n % vector_bytes != 0) count_chosen_of_some(mask + last, row_stride, rows, counts + last);
        return;
    }
    std::fill_n(counts, n, 0);
    for (std::size_t r = 0; r < rows; ++r, mask += row_stride)
        for (std::size_t j = 0; j < n; ++j) counts[j] += mask[j] != 0;
}

}  // namespace samesum::SAMESUM_ISA
