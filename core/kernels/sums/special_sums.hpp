// Sums of float64 that need no addition: of sets with infinities or NaNs, and the squares of zeros alone,
// which other sums cannot tell from squares that underflow. They fail for all other sets.
#pragma once

#include <limits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <Map map>
struct SpecialSums {
    static constexpr std::size_t size = sizeof(double), chains = 4;

    struct Tile {
        double total[tile_pitch];       // of infinities and NaNs: 0 if there are none
        std::uint64_t any[tile_pitch];  // bits of all elements but for signs
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    struct Found {
        Doubles total;
        Longs any;

        SAMESUM_INLINE void take(Doubles x) {
            const Doubles magnitude = samesum::SAMESUM_ISA::magnitude(x), none = {};
            total += magnitude < infinity ? none : map == Map::itself ? x : magnitude;
            any |= reinterpret_cast<Longs>(magnitude);
        }
        SAMESUM_INLINE void join(const Found& other) {
            total += other.total;
            any |= other.any;
        }
    };

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.total[j] = 0, t.any[j] = 0;
    }

    static SAMESUM_INLINE Doubles elements(const char* p, std::size_t n) {
        if (n >= width) return load<Doubles>(p);
        char padded[width * size];
        pad<Float64>(p, n, padded);
        return load<Doubles>(padded);
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        Found found[chains] = {};
        std::size_t i = 0;
        for (; i + chains * width <= n; i += chains * width) {
            prefetch_run<chains * width * size>(p + i * size);
            for (std::size_t k = 0; k < chains; ++k) found[k].take(load<Doubles>(p + (i + k * width) * size));
        }
        for (; i < n; i += width) found[0].take(elements(p + i * size, n - i));
        for (std::size_t k = 1; k < chains; ++k) found[0].join(found[k]);
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t k = 0; k < width; ++k) {
            t.total[j] += found[0].total[k];
            t.any[j] |= static_cast<std::uint64_t>(found[0].any[k]);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; j += width) {
            Found found{load<Doubles>(t.total + j), load<Longs>(t.any + j)};
            const char* p = static_cast<const char*>(x) + j * size;
            for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
                __builtin_prefetch(p + 8 * row_stride, 0, 2);
                found.take(elements(p, n - j));
            }
            store(t.total + j, found.total);
            store(t.any + j, found.any);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Tile& t = *static_cast<Tile*>(tile);
        t.total[j] += static_cast<const Tile*>(from)->total[i];
        t.any[j] |= static_cast<const Tile*>(from)->any[i];
    }

    static double finalized(double total, Finalize how) {
        if (how != Finalize::logarithm || total > 0) return total;
        return total == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<const Tile*>(tile);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            failed[j] = t.total[j] == 0 && (map != Map::square || t.any[j] != 0);
            failures += failed[j];
            if (!failed[j])
                store_bits(out, j, round_bits(finalized(t.total[j], how.finalize), how.format),
                           size_of(how.format));
        }
        return failures;
    }

    static constexpr Method method() {
        return {tile_columns, init, each_lane<lane>, columns, each_merge<merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
