// Positions of the minimum or maximum of elements that come in order.
#pragma once

#include <bit>

#include "kernels/accumulators/places.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, bool is_real, bool last>
struct Position : Places<Key, last> {
    using Of = Places<Key, last>;
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
        const int bit = last ? 63 - __builtin_clzll(mask) : std::countr_zero(mask);
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
