// Untangling of short rows: for one instruction set, compiled as table.cpp is.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/vectors/transpose.hpp"
#include "methods/short_method.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of any buffer, whatever their type is there.
template <class Bits>
struct Anywhere {
    typedef Bits type __attribute__((may_alias));
};
template <class Bits>
using BitsAt = typename Anywhere<Bits>::type;

// Asks for the elements that come after as many of them.
SAMESUM_INLINE void ask_for_next(const void* p, std::size_t bytes) {
    const char* const next = static_cast<const char*>(p) + prefetch_distances.tile;
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(next + at);
}

// With these numbers known, compilers make shuffles of whole vectors out of this.
template <class Bits, std::size_t elements>
SAMESUM_INLINE void to_columns_some(const BitsAt<Bits>* __restrict in, std::size_t rows,
                                    BitsAt<Bits>* __restrict out) {
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[i * transposed_pitch + j] = in[j * elements + i];
    }
}

template <class Bits, std::size_t elements>
void to_columns(const void* __restrict from, std::size_t rows, void* __restrict to) {
    constexpr std::size_t some = 64;
    const BitsAt<Bits>* in = static_cast<const BitsAt<Bits>*>(from);
    BitsAt<Bits>* out = static_cast<BitsAt<Bits>*>(to);
    for (; rows >= some; rows -= some, in += some * elements, out += some) {
        ask_for_next(in, some * elements * sizeof(Bits));
        to_columns_some<Bits, elements>(in, some, out);
    }
    to_columns_some<Bits, elements>(in, rows, out);
}

template <class Bits, std::size_t elements>
void to_rows(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const BitsAt<Bits>* in = static_cast<const BitsAt<Bits>*>(from);
    BitsAt<Bits>* out = static_cast<BitsAt<Bits>*>(to);
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[j * elements + i] = in[i * transposed_pitch + j];
    }
}

template <class Bits>
struct SquareRow {
    typedef Bits type __attribute__((vector_size(sizeof(Bits) * width)));
};

// Rows of any number of elements by squares of `width` of them. The last square of a row ends with it, and
// may begin in the one before; rows that are less than a square reach into the next one, if there is one and
// it lies behind them.
template <class Bits>
struct Squares {
    using Row = typename SquareRow<Bits>::type;

    static SAMESUM_INLINE bool reach(std::size_t elements, std::ptrdiff_t stride, std::size_t j,
                                     std::size_t rows) {
        const bool lie_behind = stride >= static_cast<std::ptrdiff_t>(elements);
        return elements < width && 2 * elements >= width && lie_behind && j + width < rows;
    }
    // The first `runs` of a square.
    static SAMESUM_INLINE void to_columns(const BitsAt<Bits>* in, std::ptrdiff_t stride, std::size_t runs,
                                          BitsAt<Bits>* out, std::size_t pitch) {
        Row square[width];
        for (std::size_t r = 0; r < width; ++r)
            square[r] = load<Row>(in + static_cast<std::ptrdiff_t>(r) * stride);
        Square<Row>::transpose(square);
        for (std::size_t i = 0; i < runs; ++i) store(out + i * pitch, square[i]);
    }

    static SAMESUM_INLINE void to_rows(const BitsAt<Bits>* in, std::size_t pitch, std::size_t runs,
                                       BitsAt<Bits>* out, std::ptrdiff_t stride) {
        Row square[width] = {};
        for (std::size_t i = 0; i < runs; ++i) square[i] = load<Row>(in + i * pitch);
        Square<Row>::transpose(square);
        for (std::size_t r = 0; r < width; ++r)
            store(out + static_cast<std::ptrdiff_t>(r) * stride, square[r]);
    }
};

template <class Bits>
void to_columns_any(const void* __restrict from, std::ptrdiff_t stride, std::size_t elements,
                    std::size_t rows, void* __restrict to, std::size_t pitch) {
    using All = Squares<Bits>;
    constexpr std::ptrdiff_t side = static_cast<std::ptrdiff_t>(width);
    const BitsAt<Bits>* in = static_cast<const BitsAt<Bits>*>(from);
    BitsAt<Bits>* out = static_cast<BitsAt<Bits>*>(to);
    std::size_t j = 0;
    for (; All::reach(elements, stride, j, rows); j += width, in += side * stride) {
        ask_for_next(in, width * elements * sizeof(Bits));
        All::to_columns(in, stride, elements, out + j, pitch);
    }
    for (; elements >= width && j + width <= rows; j += width, in += side * stride) {
        ask_for_next(in, width * elements * sizeof(Bits));
        for (std::size_t at = 0; at < elements; at += width) {
            const std::size_t i = std::min(at, elements - width);
            All::to_columns(in + i, stride, width, out + i * pitch + j, pitch);
        }
    }
    for (; j < rows; ++j, in += stride) {
        for (std::size_t i = 0; i < elements; ++i) out[i * pitch + j] = in[i];
    }
}

template <class Bits>
void to_rows_any(const void* __restrict from, std::size_t pitch, std::size_t elements, std::size_t rows,
                 void* __restrict to, std::ptrdiff_t stride) {
    using All = Squares<Bits>;
    constexpr std::ptrdiff_t side = static_cast<std::ptrdiff_t>(width);
    const BitsAt<Bits>* in = static_cast<const BitsAt<Bits>*>(from);
    BitsAt<Bits>* out = static_cast<BitsAt<Bits>*>(to);
    std::size_t j = 0;
    if (stride == static_cast<std::ptrdiff_t>(elements)) {
        for (; All::reach(elements, stride, j, rows); j += width, out += side * stride)
            All::to_rows(in + j, pitch, elements, out, stride);
    }
    for (; elements >= width && j + width <= rows; j += width, out += side * stride) {
        for (std::size_t at = 0; at < elements; at += width) {
            const std::size_t i = std::min(at, elements - width);
            All::to_rows(in + i * pitch + j, pitch, width, out + i, stride);
        }
    }
    for (; j < rows; ++j, out += stride) {
        for (std::size_t i = 0; i < elements; ++i) out[i] = in[i * pitch + j];
    }
}

template <class Bits, std::size_t... elements>
constexpr void fill(TransposeMethods& m, std::size_t size, std::index_sequence<elements...>) {
    ((m.known[size][elements] = to_columns<Bits, elements>), ...);
    ((m.known_back[size][elements] = to_rows<Bits, elements>), ...);
    m.any[size] = to_columns_any<Bits>;
    m.any_back[size] = to_rows_any<Bits>;
}

constexpr TransposeMethods all_transposes() {
    TransposeMethods m{};
    using Few = std::index_sequence<2, 3, 4>;
    using Whole = std::index_sequence<2, 3, 4, 8, 16>;  // elements of which vectors hold several rows
    fill<std::uint8_t>(m, 0, Whole{});
    fill<std::uint16_t>(m, 1, Whole{});
    fill<std::uint32_t>(m, 2, Few{});
    fill<std::uint64_t>(m, 3, Few{});
    return m;
}

extern const TransposeMethods transposes;
const TransposeMethods transposes = all_transposes();

}  // namespace samesum::SAMESUM_ISA
