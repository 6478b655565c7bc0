// Whether all, or any, elements are true: all but zeros of either sign are.
#pragma once

#include "kernels/method.hpp"
#include "kernels/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// `Bits` are the unsigned bits of an element, `is_real` tells that they have a sign to be ignored.
template <class Bits, bool is_real, bool any>
struct Logical {
    // Elements of a lane, or rows of columns, between two looks at whether the rest still matters.
    static constexpr std::size_t lane_chunk = 4096 / sizeof(Bits);
    static constexpr std::size_t column_chunk = 64;

    typedef Bits Vector __attribute__((vector_size(vector_bytes)));

    // Not zero once an element has decided the outcome.
    static constexpr std::size_t most = columns_of(sizeof(Bits));
    struct Tile {
        Bits decided[most + 24];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    // Not zero where an element decides: a true one if any is asked for, else a false one. `T` is Bits or
    // a vector of them.
    template <class T>
    static SAMESUM_INLINE T decisive(T x) {
        constexpr Bits all_ones = static_cast<Bits>(~Bits{0});
        constexpr Bits magnitude = is_real ? all_ones >> 1 : all_ones;
        const T size = static_cast<T>(x & magnitude);
        return any ? size : size == 0 ? T{} + all_ones : T{};
    }

    static void init(void* tile, std::size_t n) {
        std::memset(static_cast<Tile*>(tile)->decided, 0, n * sizeof(Bits));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Bits& decided = static_cast<Tile*>(tile)->decided[j];
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n && decided == 0;) {
            const std::size_t now = n - i < lane_chunk ? n - i : lane_chunk;
            decided = any_decisive(p, now);
            p += now * sizeof(Bits);
            i += now;
        }
    }

    static SAMESUM_INLINE Bits any_decisive(const char* p, std::size_t n) {
        if (n < elements_of<Vector> / 2) {
            Bits found = 0;
            for (std::size_t i = 0; i < n; ++i) found |= decisive(load<Bits>(p + i * sizeof(Bits)));
            return found;
        }
        Vector found[4] = {};
        each_vector<Vector>(p, n, [&](std::size_t k, Vector x) { found[k] |= decisive(x); });
        return across(found[0] | found[1] | found[2] | found[3], [](Vector a, Vector b) { return a | b; });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Bits* decided = static_cast<Tile*>(tile)->decided;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows && !all_decided(decided, n);) {
            const std::size_t stop = rows - r < column_chunk ? rows : r + column_chunk;
            for (; r + 4 <= stop; r += 4, p += 4 * row_stride) add_rows<4>(decided, p, row_stride, n);
            for (; r < stop; ++r, p += row_stride) add_rows<1>(decided, p, row_stride, n);
        }
    }

    static SAMESUM_INLINE bool all_decided(const Bits* decided, std::size_t n) {
        std::size_t open = 0;
        for (std::size_t j = 0; j < n; ++j) open += decided[j] == 0;
        return open == 0;
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Bits* decided, const char* x, std::ptrdiff_t row_stride,
                                        std::size_t n) {
        each_stretch<rows, sizeof(Bits)>(x, row_stride, n,
                                         [&](std::size_t j, const char* p, std::size_t here) {
                                             take_rows<rows>(decided + j, p, row_stride, here);
                                         });
    }

    // Some columns are taken twice: that changes nothing.
    template <std::size_t rows>
    static SAMESUM_INLINE void take_rows(Bits* __restrict decided, const char* x, std::ptrdiff_t row_stride,
                                         std::size_t n) {
        each_of_columns<Vector>(n, [&]<class T>(T, std::size_t j) {
            T found = load<T>(decided + j);
            for (std::size_t r = 0; r < rows; ++r)
                found |=
                    decisive(load<T>(x + static_cast<std::ptrdiff_t>(r) * row_stride + j * sizeof(Bits)));
            store(decided + j, found);
        });
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        static_cast<Tile*>(tile)->decided[j] |= static_cast<const Tile*>(from)->decided[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<const Tile*>(tile);
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j) static_cast<std::uint8_t*>(out)[j] = (t.decided[j] != 0) == any;
        return 0;
    }

    static constexpr Method method() { return {most, init, each_lane<lane>, columns, merge, finish}; }
};

}  // namespace samesum::SAMESUM_ISA
