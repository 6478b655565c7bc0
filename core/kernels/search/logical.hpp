// Whether all, or any, elements are true: all but zeros of either sign are.
#pragma once

#include "kernels/vectors/sweep.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
struct LogicalTile {
    static constexpr std::size_t most = columns_of(sizeof(Bits));
    Bits seen[most + 24];

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        const LogicalTile& t = *static_cast<const LogicalTile*>(tile);
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j) static_cast<std::uint8_t*>(out)[j] = t.seen[j] != 0;
        return 0;
    }
};

// `Bits` are the unsigned bits of an element, `is_real` tells that they have a sign to be ignored.
template <class Bits, bool is_real, bool any>
struct Logical {
    // Elements of a lane, or rows of columns, between two looks at whether the rest still matters.
    static constexpr std::size_t lane_chunk = 4096 / sizeof(Bits);
    static constexpr std::size_t column_chunk = 64;

    typedef Bits Vector __attribute__((vector_size(vector_bytes)));

    using Tile = LogicalTile<Bits>;
    static_assert(sizeof(Tile) <= tile_bytes);

    // What was seen of a set: bits, of which none are set before one element was true, or which are all zero
    // once one was false. `T` is Bits or a vector of them.
    static constexpr Bits all_ones = static_cast<Bits>(~Bits{0}), open = any ? 0 : all_ones;

    template <class T>
    static SAMESUM_INLINE T joined(T a, T b) {
        if constexpr (any) return static_cast<T>(a | b);
        return a < b ? a : b;
    }

    template <class T>
    static SAMESUM_INLINE T of(T x) {
        constexpr Bits magnitude = is_real ? all_ones >> 1 : all_ones;
        return static_cast<T>(x & magnitude);
    }

    template <class T>
    static SAMESUM_INLINE T with(T seen, T x) {
        return joined(seen, of(x));
    }

    static SAMESUM_INLINE bool is_decided(Bits seen) { return (seen != 0) == any; }

    static void init(void* tile, std::size_t n) {
        std::memset(static_cast<Tile*>(tile)->seen, any ? 0 : 0xff, n * sizeof(Bits));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Bits& seen = static_cast<Tile*>(tile)->seen[j];
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n && !is_decided(seen);) {
            const std::size_t now = n - i < lane_chunk ? n - i : lane_chunk;
            seen = joined(seen, seen_of(p, now));
            p += now * sizeof(Bits);
            i += now;
        }
    }

    static SAMESUM_INLINE Bits seen_of(const char* p, std::size_t n) {
        if (n < elements_of<Vector> / 2) {
            Bits seen = open;
            for (std::size_t i = 0; i < n; ++i) seen = with(seen, load<Bits>(p + i * sizeof(Bits)));
            return seen;
        }
        Vector seen[4];
        for (Vector& part : seen) part = Vector{} + open;
        each_vector<Vector>(p, n, [&](std::size_t k, Vector x) { seen[k] = with(seen[k], x); });
        return across(joined(joined(seen[0], seen[1]), joined(seen[2], seen[3])), joined<Vector>);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Bits* seen = static_cast<Tile*>(tile)->seen;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows && !all_decided(seen, n);) {
            const std::size_t stop = rows - r < column_chunk ? rows : r + column_chunk;
            for (; r + 4 <= stop; r += 4, p += 4 * row_stride) add_rows<4>(seen, p, row_stride, n);
            for (; r < stop; ++r, p += row_stride) add_rows<1>(seen, p, row_stride, n);
        }
    }

    static SAMESUM_INLINE bool all_decided(const Bits* seen, std::size_t n) {
        std::size_t left = 0;
        for (std::size_t j = 0; j < n; ++j) left += !is_decided(seen[j]);
        return left == 0;
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Bits* seen, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        each_stretch<rows, sizeof(Bits)>(x, row_stride, n,
                                         [&](std::size_t j, const char* p, std::size_t here) {
                                             take_rows<rows>(seen + j, p, row_stride, here);
                                         });
    }

    // Some columns are taken twice: that changes nothing.
    template <std::size_t rows>
    static SAMESUM_INLINE void take_rows(Bits* __restrict seen, const char* x, std::ptrdiff_t row_stride,
                                         std::size_t n) {
        each_of_columns<Vector>(n, [&]<class T>(T, std::size_t j) {
            T all = load<T>(seen + j);
            for (std::size_t r = 0; r < rows; ++r)
                all = with(all, load<T>(x + static_cast<std::ptrdiff_t>(r) * row_stride + j * sizeof(Bits)));
            store(seen + j, all);
        });
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Bits& seen = static_cast<Tile*>(tile)->seen[j];
        seen = joined(seen, static_cast<const Tile*>(from)->seen[i]);
    }

    static constexpr Method method() {
        return {Tile::most, init, each_lane<lane>, columns, each_merge<merge>, Tile::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
