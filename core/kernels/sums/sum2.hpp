// Tier 2 (tier 1 of float64): double-word lanes; the bound comes from the sum of the low words' own terms, so
// exactly representable work has bound zero.
#pragma once

#include "kernels/certify/certify.hpp"
#include "kernels/scans/sums.hpp"
#include "kernels/sums/sum1.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// `sum`, `rest` and `sizes` are of the rows that are being added.
struct Sum2Tile {
    double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch];
    double sum[tile_pitch], rest[tile_pitch], sizes[tile_pitch];

    static void init(void* tile, std::size_t n) {
        Sum2Tile& t = *static_cast<Sum2Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.hi[j] = t.lo[j] = t.bound[j] = 0;
    }

    SAMESUM_INLINE void add(std::size_t j, const Sum& some) {
        Sum total{hi[j], lo[j], bound[j]};
        samesum::add(total, some);
        hi[j] = total.hi;
        lo[j] = total.lo;
        bound[j] = total.bound;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const Sum2Tile& f = *static_cast<const Sum2Tile*>(from);
        static_cast<Sum2Tile*>(tile)->add(j, {f.hi[i], f.lo[i], f.bound[i]});
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        Sum2Tile& t = *static_cast<Sum2Tile*>(tile);
        return certify_words({t.hi, t.lo, t.bound}, n, how, out, failed);
    }
};
static_assert(sizeof(Sum2Tile) <= tile_bytes);

// `few`: for sets of few elements, whose sums are often ties. The residuals of the low words are then known,
// so that exact sums are told.
template <class F, Map map, bool few = false>
struct Sum2 {
    static_assert(!few || map != Map::square);

    using Tile = Sum2Tile;

    // The sum so far, the sum of what was rounded off it, and the magnitudes of the latter; of what was
    // rounded off that if `few`.
    struct Lane {
        Doubles sum, rest, sizes;

        SAMESUM_INLINE void add(Doubles x) {
            Doubles error;
            balanced_two_sum(sum, x, sum, error);
            add_rest(error);
        }
        SAMESUM_INLINE void add_rest(Doubles error) {
            Doubles lost = error;
            if constexpr (few)
                two_sum(rest, error, rest, lost);
            else
                rest += error;
            sizes = plus(sizes, samesum::SAMESUM_ISA::magnitude(lost));
        }
        SAMESUM_INLINE void join(const Lane& other) {
            sizes += other.sizes;
            add(other.sum);
            if constexpr (few)
                add_rest(other.rest);
            else
                rest += other.rest;
        }
        template <int distance>
        SAMESUM_INLINE Lane paired(const Lane& other) const {
            Lane both{paired_low<distance>(sum, other.sum), paired_low<distance>(rest, other.rest),
                      paired_low<distance>(sizes, other.sizes)};
            both.join({paired_high<distance>(sum, other.sum), paired_high<distance>(rest, other.rest),
                       paired_high<distance>(sizes, other.sizes)});
            return both;
        }
    };

    static SAMESUM_INLINE void accumulate(const char* p, Lane& lane) {
        Doubles x = F::doubles(p);
        if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
        if constexpr (map == Map::square && F::format == Format::f64) {
            const Doubles product = x * x;
            Doubles error;
            balanced_two_sum(lane.sum, product, lane.sum, error);
            lane.add_rest(error + square_error(x, product));
        } else {
            if constexpr (map == Map::square) x = x * x;
            lane.add(x);
        }
    }

    static SAMESUM_INLINE void accumulate_some(const char* p, std::size_t n, Lane& lane) {
        char padded[width * F::size];
        pad<F>(p, n, padded);
        accumulate(padded, lane);
    }

    // What squares of float64 may lose to underflow, each.
    static constexpr double underflow = map == Map::square && F::format == Format::f64 ? 0x1p-1073 : 0;

    static constexpr std::size_t chains = 4, step = chains * width;

    // In one chain, for rows that are read beside each other.
    static SAMESUM_INLINE Lane lane_of_few(const char* p, std::size_t n) {
        Lane lane = {};
        std::size_t i = 0;
        for (; i + width <= n; i += width) accumulate(p + i * F::size, lane);
        if (i < n) accumulate_some(p + i * F::size, n - i, lane);
        return lane;
    }

    static SAMESUM_INLINE Lane lane_of_run(const char* p, std::size_t n) {
        Lane lane[chains] = {};
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch_run<step * F::size>(p);
            for (std::size_t k = 0; k < chains; ++k) accumulate(p + k * width * F::size, lane[k]);
        }
        for (; i + width <= n; i += width, p += width * F::size) accumulate(p, lane[0]);
        if (i < n) accumulate_some(p, n - i, lane[1]);
        lane[0].join(lane[1]);
        lane[2].join(lane[3]);
        lane[0].join(lane[2]);
        return lane[0];
    }

    // No term goes through more additions into a lane's low word than this, of rows in one chain neither.
    // (Lemma 16)
    static constexpr std::size_t depth_of(std::size_t n) { return n / step + 24; }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Lane all = lane_of_run(static_cast<const char*>(x), n);
        // Each half of the vector joins the other, then each quarter: at last every element has all.
        if constexpr (width >= 8) all.join(exchanged<4>(all));
        if constexpr (width >= 4) all.join(exchanged<2>(all));
        all.join(exchanged<1>(all));
        static_cast<Tile*>(tile)->add(j,
                                      {all.sum[0], all.rest[0], error_bound(depth_of(n), all.sizes[0], n)});
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (; rows >= width; rows -= width, j += width) {
            Lane row[width];
            const bool short_rows = n < 4 * step;
            for (std::size_t r = 0; r < width; ++r, p += row_stride) {
                prefetch_run<width * F::size>(p);
                row[r] = short_rows ? lane_of_few(p, n) : lane_of_run(p, n);
            }
            const Lane all = folded_rows(row);
            Sums totals = Sums::at(t.hi + j, t.lo + j, t.bound + j);
            totals.add(all.sum);
            totals.add_low(all.rest);
            totals.bound += error_bound(depth_of(n), all.sizes, n);
            totals.put(t.hi + j, t.lo + j, t.bound + j);
        }
        for (; rows > 0; --rows, ++j, p += row_stride) lane(tile, j, p, n);
    }

    template <int distance>
    static SAMESUM_INLINE Lane exchanged(const Lane& lane) {
        return {swapped<distance>(lane.sum), swapped<distance>(lane.rest), swapped<distance>(lane.sizes)};
    }

    // `Size` is double or Doubles.
    template <class Size>
    static SAMESUM_INLINE Size error_bound(std::size_t depth, Size size, std::size_t n) {
        if constexpr (few) return size * bound_slack;
        return static_cast<double>(depth + 4) * (unit_roundoff * bound_slack) * size +
               static_cast<double>(n) * underflow;
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(const char* x, std::ptrdiff_t row_stride, std::size_t n, Tile& t) {
        // Few columns are soon done: their lines have to be asked for many rows ahead.
        const std::ptrdiff_t ahead = (n < 128 ? 32 : 4) * row_stride;
        for (std::size_t j = 0; j < n; j += width) {
            Lane lane{load<Doubles>(t.sum + j), load<Doubles>(t.rest + j), load<Doubles>(t.sizes + j)};
            const char* p = x + j * F::size;
            for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
                __builtin_prefetch(p + ahead, 0, 2);
                if (n - j >= width) {
                    accumulate(p, lane);
                } else {
                    accumulate_some(p, n - j, lane);
                }
            }
            store(t.sum + j, lane.sum);
            store(t.rest + j, lane.rest);
            store(t.sizes + j, lane.sizes);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const std::size_t padded = (n + width - 1) / width * width;
        for (std::size_t j = 0; j < padded; ++j) t.sum[j] = t.rest[j] = t.sizes[j] = 0;
        const char* p = static_cast<const char*>(x);
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4, p += 4 * row_stride) add_rows<4>(p, row_stride, n, t);
        for (; r < rows; ++r, p += row_stride) add_rows<1>(p, row_stride, n, t);
        for (std::size_t j = 0; j < n; ++j)
            t.add(j, {t.sum[j], t.rest[j], error_bound(rows, t.sizes[j], rows)});
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, lanes, columns, each_merge<Tile::merge>, Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
