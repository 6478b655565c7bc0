// Short rows that lie side by side become columns, and columns become such rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/short_method.hpp"
#include "kernels/transpose.hpp"

namespace samesum::SAMESUM_ISA {

// With these numbers known, compilers make shuffles of whole vectors out of this.
template <class Bits, std::size_t elements>
void untangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[i * untangled_pitch + j] = in[j * elements + i];
    }
}

template <class Bits, std::size_t elements>
void tangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[j * elements + i] = in[i * untangled_pitch + j];
    }
}

template <class Bits>
struct SquareRow {
    typedef Bits type __attribute__((vector_size(sizeof(Bits) * width)));
};

// Rows of any number of elements by squares of `width` of them. The last square of a row ends with it, and
// may begin in the one before; rows that are less than a square reach into the next one, if there is one.
template <class Bits>
struct Squares {
    using Row = typename SquareRow<Bits>::type;

    // Whether a square fits before the end of the rows.
    static SAMESUM_INLINE bool fit(std::size_t elements, std::size_t j, std::size_t rows) {
        return elements >= width ? j + width <= rows : 2 * elements >= width && j + width < rows;
    }
    // The first `runs` of a square.
    static SAMESUM_INLINE void untangle(const Bits* in, std::size_t elements, std::size_t runs, Bits* out,
                                        std::size_t pitch) {
        Row square[width];
        for (std::size_t r = 0; r < width; ++r) square[r] = load<Row>(in + r * elements);
        Square<Row>::transpose(square);
        for (std::size_t i = 0; i < runs; ++i) store(out + i * pitch, square[i]);
    }

    static SAMESUM_INLINE void tangle(const Bits* in, std::size_t pitch, std::size_t runs, Bits* out,
                                      std::size_t elements) {
        Row square[width] = {};
        for (std::size_t i = 0; i < runs; ++i) square[i] = load<Row>(in + i * pitch);
        Square<Row>::transpose(square);
        for (std::size_t r = 0; r < width; ++r) store(out + r * elements, square[r]);
    }
};

template <class Bits>
void untangle_any(const void* __restrict from, std::size_t elements, std::size_t rows, void* __restrict to,
                  std::size_t pitch) {
    using All = Squares<Bits>;
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    std::size_t j = 0;
    for (; All::fit(elements, j, rows); j += width, in += width * elements) {
        if (elements < width) All::untangle(in, elements, elements, out + j, pitch);
        for (std::size_t at = 0; elements >= width && at < elements; at += width) {
            const std::size_t i = std::min(at, elements - width);
            All::untangle(in + i, elements, width, out + i * pitch + j, pitch);
        }
    }
    for (; j < rows; ++j, in += elements) {
        for (std::size_t i = 0; i < elements; ++i) out[i * pitch + j] = in[i];
    }
}

template <class Bits>
void tangle_any(const void* __restrict from, std::size_t elements, std::size_t rows, void* __restrict to,
                std::size_t pitch) {
    using All = Squares<Bits>;
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    std::size_t j = 0;
    for (; All::fit(elements, j, rows); j += width, out += width * elements) {
        if (elements < width) All::tangle(in + j, pitch, elements, out, elements);
        for (std::size_t at = 0; elements >= width && at < elements; at += width) {
            const std::size_t i = std::min(at, elements - width);
            All::tangle(in + i * pitch + j, pitch, width, out + i, elements);
        }
    }
    for (; j < rows; ++j, out += elements) {
        for (std::size_t i = 0; i < elements; ++i) out[i] = in[i * pitch + j];
    }
}

}  // namespace samesum::SAMESUM_ISA
