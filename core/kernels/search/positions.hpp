// Positions of the minimum or maximum of elements that come in order.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/accumulators/extreme.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
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
struct ArgState {
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

template <class Key, bool is_real, bool last>
struct Position : ArgState<Key, last> {
    using Of = ArgState<Key, last>;
    using Of::least, Of::wins;
    using typename Of::Batch;
    using typename Of::Bits;
    using typename Of::Order;
    using typename Of::Tile;

    using Keys = FullVector<Key>;
    static constexpr std::size_t lanes = vector_bytes / sizeof(Key);

    // Elements of a lane whose best is known before one is looked for.
    static constexpr std::size_t lane_chunk = 8192 / sizeof(Key);
    // Columns take this many rows, or sets of rows side by side, before their indices outgrow a key.
    static constexpr std::size_t batch_rows = sizeof(Key) == 1 ? 256 : 32768;
    // Rows of fewer columns than a quarter of this are taken side by side, until they are as wide.
    static constexpr std::size_t folded_columns = 256;

    template <class T>
    using Best = BestRank<T, Key, is_real>;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const Order order = t.ranks;
        const char* p = static_cast<const char*>(x);
        Key best = t.best[j];
        std::size_t from = n;  // the chunk that won last, if one did
        for (std::size_t i = 0; i < n; i += lane_chunk) {
            const Key now = state_of_lane<Best, Keys>(p + i * sizeof(Key), chunk_at(i, n), order).best;
            if (wins(now, best)) best = now, from = i;
        }
        if (from < n) {
            const std::size_t at = from + find(order, p + from * sizeof(Key), chunk_at(from, n), best);
            t.best[j] = best;
            t.position[j] = t.count[j] + static_cast<std::int64_t>(at);
        }
        t.count[j] += static_cast<std::int64_t>(n);
    }

    static SAMESUM_INLINE std::size_t chunk_at(std::size_t i, std::size_t n) {
        return n - i < lane_chunk ? n - i : lane_chunk;
    }

    // Of the first or the last element with this rank; there is one.
    static SAMESUM_INLINE std::size_t find(const Order& order, const char* p, std::size_t n, Key best) {
        if (n < lanes / 2) {
            std::size_t i = last ? n - 1 : 0;
            while (order.template rank<is_real>(load<Key>(p + i * sizeof(Key))) != best) last ? --i : ++i;
            return i;
        }
        const Keys wanted = Keys{} + best;
        if (n < lanes) {
            const std::size_t i =
                place(equal_mask(order.template rank<is_real>(load_ends<Keys>(p, n)), wanted));
            return i < lanes / 2 ? i : i + n - lanes;
        }
        const auto equal = [&](std::size_t i) {
            return equal_mask(order.template rank<is_real>(load<Keys>(p + i * sizeof(Key))), wanted);
        };
        return n <= 8 * lanes ? find_in_all(n, equal) : find_until(n, equal);
    }

    // The first or the last element of a mask.
    static SAMESUM_INLINE std::size_t place(std::uint64_t mask) {
        const int bit = last ? 63 - std::countl_zero(mask) : std::countr_zero(mask);
        return static_cast<std::size_t>(bit) / bits_of_mask<Keys>;
    }

    // Without a branch on where it is, which nobody foretells: the one that counts is looked at last.
    template <class Equal>
    static SAMESUM_INLINE std::size_t find_in_all(std::size_t n, Equal equal) {
        std::size_t found = 0;
        const auto look = [&](std::size_t i) {
            const std::uint64_t mask = equal(i);
            const std::size_t here = i + place(mask);
            found = mask != 0 ? here : found;
        };
        look(last ? 0 : n - lanes);
        if constexpr (last)
            for (std::size_t i = n % lanes; i < n; i += lanes) look(i);
        else
            for (std::size_t i = n - n % lanes; i > 0; i -= lanes) look(i - lanes);
        return found;
    }

    template <class Equal>
    static SAMESUM_INLINE std::size_t find_until(std::size_t n, Equal equal) {
        for (std::size_t done = 0; done + lanes <= n; done += lanes) {
            const std::size_t i = last ? n - lanes - done : done;
            if (const std::uint64_t mask = equal(i)) return i + place(mask);
        }
        const std::size_t rest = last ? 0 : n - lanes;
        return rest + place(equal(rest));
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        const bool adjacent = row_stride == static_cast<std::ptrdiff_t>(n * sizeof(Key));
        const std::size_t fold = adjacent && n < folded_columns / 4 ? folded_columns / n : 1;
        const std::ptrdiff_t stride = row_stride * static_cast<std::ptrdiff_t>(fold);
        for (std::size_t sets = rows / fold; sets > 0;) {
            const std::size_t now = sets < batch_rows ? sets : batch_rows;
            add_batch(t, p, stride, now, n, fold);
            p += static_cast<std::ptrdiff_t>(now) * stride;
            sets -= now;
        }
        if (rows % fold > 0) add_batch(t, p, 0, 1, n, rows % fold);
    }

    // `fold` rows side by side in each of `sets` rows.
    static void add_batch(Tile& t, const char* p, std::ptrdiff_t stride, std::size_t sets, std::size_t n,
                          std::size_t fold) {
        Batch batch;
        const Order order = t.ranks;
        const std::size_t width = n * fold;
        Of::begin(batch, width);
        each_of_rows<Keys>(p, stride, sets, width,
                           [&]<class T>(T, auto rows, std::size_t first, std::size_t j, const char* x)
                               SAMESUM_INLINED {
                                   T best = load<T>(batch.best + j), at = load<T>(batch.row + j);
                                   for (std::size_t r = 0; r < rows; ++r, x += stride) {
                                       const T now = order.template rank<is_real>(load<T>(x));
                                       at = (last ? now >= best : now > best)
                                                ? T{} + static_cast<Key>(static_cast<Bits>(first + r))
                                                : at;
                                       best = greater_key(best, now);
                                   }
                                   store(batch.best + j, best);
                                   store(batch.row + j, at);
                               });
        Of::add(t, batch, sets, n, fold);
    }

    template <Format format, bool maximum>
    static constexpr Method method() {
        return {tile_columns,          Of::template init<format, maximum>,
                each_lane<lane>,       columns,
                each_merge<Of::merge>, Of::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
