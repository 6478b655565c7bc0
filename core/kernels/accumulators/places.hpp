// The best elements so far and where they are: the first, or the last, of equal ones. Elements are compared
// by rank, a signed integer that is greater for what wins: zeros of both signs are equal, and every NaN is
// the same and wins. How ranks are made is told at run time: formats of one size share their code, and minima
// and maxima do.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/accumulators/extreme.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// The ranks of the numbers that `Key`, a signed integer, holds the bits of.
template <class Key>
struct Ranks {
    static_assert(std::is_signed_v<Key>);
    using Bits = std::make_unsigned_t<Key>;
    static constexpr Key least = static_cast<Key>(Bits{1} << (8 * sizeof(Key) - 1));
    static constexpr Key greatest = static_cast<Key>(~least);

    Key flip;      // of integers these bits; of floats all are to change sides, or none
    Key infinity;  // of floats

    static constexpr Ranks of(Format format, bool maximum) {
        const Key turned = maximum ? Key{0} : Key{-1};
        if (is_float(format)) return {turned, static_cast<Key>(infinity_bits(format))};
        return {static_cast<Key>(is_unsigned(format) ? turned ^ least : turned), 0};
    }

    // `T` is Key or a vector of them.
    template <bool is_real, class T>
    SAMESUM_INLINE T rank(T x) const {
        if constexpr (is_real) {
            const T size = static_cast<T>(x & greatest),
                    side = static_cast<T>((x >> (8 * sizeof(Key) - 1)) ^ flip),
                    order = static_cast<T>((size ^ side) - side);
            return size > infinity ? T{} + greatest : order;
        } else {
            return static_cast<T>(x ^ flip);
        }
    }
};

// The best rank of one element, or of a vector of them.
template <class T, class Key, bool is_real>
struct BestRank {
    T best;

    static SAMESUM_INLINE BestRank none() { return {static_cast<T>(T{} + Ranks<Key>::least)}; }
    SAMESUM_INLINE void take(const Ranks<Key>& order, T x) {
        best = greater_key(best, order.template rank<is_real>(x));
    }
    SAMESUM_INLINE void join(const BestRank& other) { best = greater_key(best, other.best); }
    SAMESUM_INLINE BestRank<Key, Key, is_real> across() const {
        return {samesum::SAMESUM_ISA::across(best, [](T a, T b) { return greater_key(a, b); })};
    }
};

// What is known of the best ranks and their places.
template <class Key, bool last>
struct Places {
    using Bits = std::make_unsigned_t<Key>;
    using Order = Ranks<Key>;
    static constexpr Key least = Order::least;

    // What is known of the elements so far. Of none: the rank that wins over nothing, at 0.
    struct Tile {
        Order ranks;
        Key best[tile_pitch];
        std::int64_t position[tile_pitch];
        std::int64_t count[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    // Of a batch of rows: the row is counted from the first one of the batch.
    struct Batch {
        alignas(64) Key best[tile_columns];
        alignas(64) Bits row[tile_columns];
    };

    static SAMESUM_INLINE bool wins(Key x, Key over) { return last ? x >= over : x > over; }

    template <Format format, bool maximum>
    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        t.ranks = Order::of(format, maximum);
        forget(t, n);
    }

    static __attribute__((noinline)) void forget(Tile& t, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) t.best[j] = least;
        for (std::size_t j = 0; j < n; ++j) t.position[j] = t.count[j] = 0;
    }

    static __attribute__((noinline)) void begin(Batch& batch, std::size_t width) {
        for (std::size_t j = 0; j < width; ++j) batch.best[j] = least;
        for (std::size_t j = 0; j < width; ++j) batch.row[j] = 0;
    }

    // Of `sets` sets of `fold` rows side by side.
    static __attribute__((noinline)) void add(Tile& t, const Batch& batch, std::size_t sets, std::size_t n,
                                              std::size_t fold) {
        for (std::size_t f = 0; f < fold; ++f) join(t, batch.best + f * n, batch.row + f * n, n, f, fold);
        for (std::size_t j = 0; j < n; ++j) t.count[j] += static_cast<std::int64_t>(sets * fold);
    }

    // Rows `f` of every `fold` of a batch come between the others: equal ranks are told apart by position.
    static void join(Tile& t, const Key* best, const Bits* row, std::size_t n, std::size_t f,
                     std::size_t fold) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::int64_t at = t.count[j] + static_cast<std::int64_t>(row[j] * fold + f);
            const bool nearer = last ? at > t.position[j] : at < t.position[j];
            const bool taken = best[j] > t.best[j] || (best[j] == t.best[j] && nearer);
            t.position[j] = taken ? at : t.position[j];
            t.best[j] = taken ? best[j] : t.best[j];
        }
    }

    // The elements of `from` come after those of `tile`.
    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Tile& t = *static_cast<Tile*>(tile);
        const Tile& f = *static_cast<const Tile*>(from);
        if (f.count[i] > 0 && wins(f.best[i], t.best[j])) {
            t.best[j] = f.best[i];
            t.position[j] = t.count[j] + f.position[i];
        }
        t.count[j] += f.count[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        std::memcpy(out, static_cast<const Tile*>(tile)->position, n * sizeof(std::int64_t));
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
