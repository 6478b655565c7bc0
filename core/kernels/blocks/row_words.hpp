// Rows of floats, each element of which is added to the word of its column in the row's place.
#pragma once

#include "kernels/blocks/exact_block.hpp"
#include "methods/exact_blocks.hpp"

namespace samesum::SAMESUM_ISA {

// The words of a place are asked for so many rows ahead.
constexpr std::size_t word_rows_ahead = 3;

template <class F>
RowReport add_row_words(const RowWords& rows) {
    Words greatest = {};  // bits of magnitudes
    Longs rounded = {};
    const char* p = static_cast<const char*>(rows.x);
    for (std::size_t r = 0; r < rows.rows; ++r, p += rows.columns * F::size) {
        const std::size_t next = r + word_rows_ahead < rows.rows ? r + word_rows_ahead : r;
        const char* const ahead = reinterpret_cast<const char*>(rows.words + rows.places[next] * rows.pitch);
        for (std::size_t k = 0; k < rows.pitch * sizeof(std::uint64_t); k += 64)
            __builtin_prefetch(ahead + k, 1);
        std::uint64_t* const to = rows.words + rows.places[r] * rows.pitch;
        each_floats<F>(p, rows.columns, [&](std::size_t j, Floats f) SAMESUM_INLINED {
            const Words size = reinterpret_cast<Words>(f) & 0x7fffffff;
            greatest = size > greatest ? size : greatest;
            const Doubles v = widen(f), sum = v + rows.anchor;
            rounded |= sum - rows.anchor != v;
            store(to + j, load<UnsignedLongs>(to + j) + reinterpret_cast<UnsignedLongs>(sum));
        });
    }
    constexpr std::uint32_t infinite = 0x7f800000;
    std::uint32_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all = greatest[k] > all ? greatest[k] : all;
    if (all > infinite) all = infinite;
    return {static_cast<double>(__builtin_bit_cast(float, all)), !any(rounded)};
}

}  // namespace samesum::SAMESUM_ISA
