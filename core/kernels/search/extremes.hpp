// Minimum and maximum: of integers, and of floats through integer keys in the order of IEEE 754's `minimum`
// and `maximum` (-0 below +0); the greatest magnitude is kept beside the key, since it tells whether there
// was a NaN.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/sweep.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, bool is_real, bool maximum>
struct Extreme {
    using Bits = std::make_unsigned_t<Key>;
    static constexpr Key least =
        std::is_signed_v<Key> ? static_cast<Key>(Bits{1} << (8 * sizeof(Key) - 1)) : Key{0};
    static constexpr Key identity = maximum ? least : static_cast<Key>(~least);

    static constexpr std::size_t most = columns_of(sizeof(Key));
    struct Tile {
        Key best[most + 24];
        Key size[most + 24];  // not negative
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    typedef Key Keys __attribute__((vector_size(vector_bytes)));

    // Its own inverse: negative floats, whose integers order backwards, have all bits but the sign flipped.
    // `T` is Key or Keys.
    template <class T>
    static SAMESUM_INLINE T key(T x) {
        if constexpr (!is_real) return x;
        constexpr Key rest = static_cast<Key>(~least);
        return static_cast<T>(x ^ (static_cast<T>(x >> (8 * sizeof(Key) - 1)) & rest));
    }

    template <class T>
    static SAMESUM_INLINE T better(T a, T b) {
        return maximum ? (a > b ? a : b) : (a < b ? a : b);
    }

    template <class T>
    static SAMESUM_INLINE T larger(T a, T b) {
        return a > b ? a : b;
    }

    template <class T>
    static SAMESUM_INLINE void take(T x, T& best, T& size) {
        constexpr Key magnitude = static_cast<Key>(~least);
        if constexpr (is_real && !std::is_integral_v<T>) x = loaded(x);
        best = better(best, key(x));
        if constexpr (is_real) size = larger(size, static_cast<T>(x & magnitude));
    }

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.best[j] = identity;
        for (std::size_t j = 0; j < n; ++j) t.size[j] = 0;
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        if (n < elements_of<Keys> / 2) {
            for (std::size_t i = 0; i < n; ++i) take(load<Key>(p + i * sizeof(Key)), t.best[j], t.size[j]);
            return;
        }
        Keys best[4] = {};
        Keys size[4] = {};
        for (Keys& b : best) b += identity;
        each_vector<Keys>(p, n, [&](std::size_t k, Keys v) { take(v, best[k], size[k]); });
        const Keys bests = better(better(best[0], best[1]), better(best[2], best[3]));
        t.best[j] = better(t.best[j], across(bests, [](Keys a, Keys b) { return better(a, b); }));
        if constexpr (is_real) {
            const Keys sizes = larger(larger(size[0], size[1]), larger(size[2], size[3]));
            t.size[j] = larger(t.size[j], across(sizes, [](Keys a, Keys b) { return larger(a, b); }));
        }
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        each_stretch<rows, sizeof(Key)>(x, row_stride, n,
                                        [&](std::size_t j, const char* p, std::size_t here) {
                                            take_rows<rows>(t.best + j, t.size + j, p, row_stride, here);
                                        });
    }

    // Some columns are taken twice: that changes nothing.
    template <std::size_t rows>
    static SAMESUM_INLINE void take_rows(Key* __restrict best, Key* __restrict size, const char* x,
                                         std::ptrdiff_t row_stride, std::size_t n) {
        each_of_columns<Keys>(n, [&]<class T>(T, std::size_t j) {
            T b = load<T>(best + j), s = load<T>(size + j);
            for (std::size_t r = 0; r < rows; ++r) {
                take(load<T>(x + static_cast<std::ptrdiff_t>(r) * row_stride + j * sizeof(Key)), b, s);
            }
            store(best + j, b);
            if constexpr (is_real) store(size + j, s);
        });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4, p += 4 * row_stride) add_rows<4>(t, p, row_stride, n);
        for (; r < rows; ++r, p += row_stride) add_rows<1>(t, p, row_stride, n);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Tile& t = *static_cast<Tile*>(tile);
        const Tile& f = *static_cast<const Tile*>(from);
        t.best[j] = better(t.best[j], f.best[i]);
        t.size[j] = larger(t.size[j], f.size[i]);
    }

    template <Format format>
    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j) {
            Key result = key(t.best[j]);
            if constexpr (is_real) {
                if (t.size[j] > static_cast<Key>(infinity_bits(format)))
                    result = static_cast<Key>(canonical_nan(format));
                else if (t.best[j] == identity)
                    result = empty(format);
            }
            __builtin_memcpy(static_cast<char*>(out) + j * sizeof(Key), &result, sizeof(Key));
        }
        return 0;
    }

    // Of no values the infinity that loses to every value; a NaN has this key too, but was seen above.
    static constexpr Key empty(Format format) {
        return static_cast<Key>(infinity_bits(format) | (maximum ? sign_bit(format) : 0));
    }

    template <Format format>
    static constexpr Method method() {
        return {most, init, each_lane<lane>, columns, each_merge<merge>, finish<format>};
    }
};

}  // namespace samesum::SAMESUM_ISA
