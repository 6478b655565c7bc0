// Short rows that lie side by side become columns, and columns become such rows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/short_method.hpp"
#include "kernels/transpose.hpp"

namespace samesum::SAMESUM_ISA {

// Rows of whole vectors, which are squares.
template <class Bits, std::size_t elements>
constexpr bool are_squares = elements % width == 0 && elements / width <= 2 && sizeof(Bits) >= 4;

template <class Bits>
struct SquareRows {
    using Row = std::conditional_t<sizeof(Bits) == 8, UnsignedLongs, Words>;

    // `in` and `out` are elements from row to row.
    static SAMESUM_INLINE void transpose(const Bits* from, std::size_t in, Bits* to, std::size_t out) {
        Row rows[width];
        for (std::size_t r = 0; r < width; ++r) rows[r] = load<Row>(from + r * in);
        Square<Row>::transpose(rows);
        for (std::size_t r = 0; r < width; ++r) store(to + r * out, rows[r]);
    }

    // How many rows of short ones are so untangled.
    template <std::size_t elements>
    static std::size_t untangle(const Bits* in, std::size_t rows, Bits* out) {
        std::size_t j = 0;
        for (; j + width <= rows; j += width, in += width * elements) {
            prefetch<width * elements * sizeof(Bits)>(reinterpret_cast<const char*>(in) + prefetch_distance);
            for (std::size_t i = 0; i < elements; i += width)
                transpose(in + i, elements, out + i * untangled_pitch + j, untangled_pitch);
        }
        return j;
    }

    template <std::size_t elements>
    static std::size_t tangle(const Bits* in, std::size_t rows, Bits* out) {
        std::size_t j = 0;
        for (; j + width <= rows; j += width, out += width * elements) {
            for (std::size_t i = 0; i < elements; i += width)
                transpose(in + i * untangled_pitch + j, untangled_pitch, out + i, elements);
        }
        return j;
    }
};

// With these numbers known, compilers make shuffles of whole vectors out of this.
template <class Bits, std::size_t elements>
void untangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    std::size_t j = 0;
    if constexpr (are_squares<Bits, elements>)
        j = SquareRows<Bits>::template untangle<elements>(in, rows, out);
    for (; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[i * untangled_pitch + j] = in[j * elements + i];
    }
}

template <class Bits, std::size_t elements>
void tangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    std::size_t j = 0;
    if constexpr (are_squares<Bits, elements>) j = SquareRows<Bits>::template tangle<elements>(in, rows, out);
    for (; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[j * elements + i] = in[i * untangled_pitch + j];
    }
}

}  // namespace samesum::SAMESUM_ISA
