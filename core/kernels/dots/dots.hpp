// Dot products of floats: products are exact, in two words those of float64, and are added up in double-word
// lanes.
#pragma once

#include "kernels/sums/sum2.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/transpose.hpp"
#include "methods/dot_method.hpp"

namespace samesum::SAMESUM_ISA {

// x * y == product + result exactly, barring underflow and overflow. (Lemma 2)
SAMESUM_INLINE Doubles product_error(Doubles x, Doubles y, Doubles product) {
#if defined(SAMESUM_FUSED)
    return fused(x, y, -product);
#else
    constexpr double splitter = 0x1.0000002p27;  // 2^27 + 1 (Dekker)
    const Doubles x_split = x * splitter, y_split = y * splitter;
    const Doubles x_high = x_split - (x_split - x), y_high = y_split - (y_split - y);
    const Doubles x_low = x - x_high, y_low = y - y_high;
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
#endif
}

template <class F>
struct Dots {
    using Totals = Sum2<F, Map::itself>;
    using Lane = typename Totals::Lane;
    using Tile = Sum2Tile;
    static constexpr std::size_t chains = Totals::chains, step = Totals::step;

    static SAMESUM_INLINE void accumulate(Doubles x, Doubles y, Lane& lane) {
        const Doubles product = x * y;
        if constexpr (F::format == Format::f64) {
            Doubles error;
            balanced_two_sum(lane.sum, product, lane.sum, error);
            lane.add_rest(error + product_error(x, y, product));
        } else {
            lane.add(product);
        }
    }

    static SAMESUM_INLINE Doubles some(const char* p, std::size_t n) {
        char padded[width * F::size];
        pad<F>(p, n, padded);
        return F::doubles(padded);
    }

    // In one chain, for rows that are read beside each other.
    static SAMESUM_INLINE Lane lane_of_few(const char* a, const char* b, std::size_t n) {
        Lane lane = {};
        std::size_t i = 0;
        for (; i + width <= n; i += width) {
            prefetch_run<width * F::size>(a + i * F::size);
            prefetch_run<width * F::size>(b + i * F::size);
            accumulate(F::doubles(a + i * F::size), F::doubles(b + i * F::size), lane);
        }
        if (i < n) accumulate(some(a + i * F::size, n - i), some(b + i * F::size, n - i), lane);
        return lane;
    }

    static SAMESUM_INLINE Lane lane_of_run(const char* a, const char* b, std::size_t n) {
        Lane lane[chains] = {};
        std::size_t i = 0;
        for (; i + step <= n; i += step, a += step * F::size, b += step * F::size) {
            prefetch_run<step * F::size>(a);
            prefetch_run<step * F::size>(b);
            for_each_of<chains>([&](std::size_t k) SAMESUM_INLINED {
                accumulate(F::doubles(a + k * width * F::size), F::doubles(b + k * width * F::size), lane[k]);
            });
        }
        for (; i + width <= n; i += width, a += width * F::size, b += width * F::size)
            accumulate(F::doubles(a), F::doubles(b), lane[0]);
        if (i < n) accumulate(some(a, n - i), some(b, n - i), lane[1]);
        lane[0].join(lane[1]);
        lane[2].join(lane[3]);
        lane[0].join(lane[2]);
        return lane[0];
    }

    static void lane(Tile& t, std::size_t j, const char* a, const char* b, std::size_t n) {
        const Lane all = folded_alone(lane_of_run(a, b, n));
        t.add(j, {all.sum[0], all.rest[0], Totals::error_bound(Totals::depth_of(n), all.sizes[0], n)});
    }

    // Rows of fewer elements are transposed, a square of them at a time, and added up as columns.
    static constexpr std::size_t transposed_below = 33;

    // Whether whole vectors can be read from each of `width` rows: up to the end of the last one of all.
    static SAMESUM_INLINE bool are_readable(const char* const* x, std::size_t rows, std::size_t n) {
        const std::size_t read = (n + width - 1) / width * width;
        const auto place = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
        std::uintptr_t last = 0;
        for (std::size_t k = 0; k < width; ++k) last = place(x[k]) > last ? place(x[k]) : last;
        return last + read * F::size <= place(x[rows - 1]) + n * F::size;
    }

    static SAMESUM_INLINE void square(const char* const* x, std::size_t i, Doubles (&v)[width]) {
        for (std::size_t k = 0; k < width; ++k) {
            prefetch_run<width * F::size>(x[k] + i * F::size);
            v[k] = F::doubles(x[k] + i * F::size);
        }
    }

    // Element k of the result is of row k.
    static SAMESUM_INLINE Lane transposed_lane(const char* const* a, const char* const* b, std::size_t n) {
        Lane lane = {};
        for (std::size_t i = 0; i < n; i += width) {
            Doubles x[width], y[width];
            square(a, i, x);
            square(b, i, y);
            if constexpr (F::format == Format::f64) {
                Square<Doubles>::transpose(y);
            } else {
                for (std::size_t k = 0; k < width; ++k) x[k] *= y[k];
            }
            Square<Doubles>::transpose(x);
            const std::size_t now = n - i < width ? n - i : width;
            for (std::size_t k = 0; k < now; ++k) {
                if constexpr (F::format == Format::f64)
                    accumulate(x[k], y[k], lane);
                else
                    lane.add(x[k]);
            }
        }
        return lane;
    }

    static SAMESUM_INLINE void add_lane(Tile& t, std::size_t j, const Lane& all, std::size_t n,
                                        std::size_t depth) {
        Sums totals = Sums::at(t.hi + j, t.lo + j, t.bound + j);
        totals.add(all.sum);
        totals.add_low(all.rest);
        totals.bound += Totals::error_bound(depth, all.sizes, n);
        totals.put(t.hi + j, t.lo + j, t.bound + j);
    }

    static void lanes(void* tile, std::size_t j, const char* const* a, const char* const* b, std::size_t n,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        if (n < transposed_below) {
            for (; rows >= width && are_readable(a, rows, n) && are_readable(b, rows, n);
                 rows -= width, a += width, b += width, j += width)
                add_lane(t, j, transposed_lane(a, b, n), n, n);
        }
        const bool short_rows = n < 4 * step;
        std::size_t r = 0;
        for (; r + width <= rows; r += width, j += width) {
            Lane row[width];
            for (std::size_t k = 0; k < width; ++k) {
                const char *const x = a[r + k], *const y = b[r + k];
                row[k] = short_rows ? lane_of_few(x, y, n) : lane_of_run(x, y, n);
            }
            add_lane(t, j, folded_rows(row), n, Totals::depth_of(n));
        }
        for (; r < rows; ++r, ++j) lane(t, j, a[r], b[r], n);
    }

    template <std::size_t rows, bool repeats>
    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t first, const DotRows& all, const char* a,
                                        const char* b) {
        Doubles same[rows];
        const auto row = [](std::size_t r) { return static_cast<std::ptrdiff_t>(r); };
        for (std::size_t r = 0; repeats && r < rows; ++r)
            same[r] = Doubles{} + some(b + row(r) * all.b_stride, 1)[0];
        const std::ptrdiff_t ahead = all.n < 128 ? 32 : 4;
        for (std::size_t j = 0; j < all.n; j += width) {
            const std::size_t at = first + j;
            Lane lane{load<Doubles>(t.sum + at), load<Doubles>(t.rest + at), load<Doubles>(t.sizes + at)};
            for (std::size_t r = 0; r < rows; ++r) {
                const char *const x = a + row(r) * all.a_stride + j * F::size, *const y =
                                                                                   b + row(r) * all.b_stride +
                                                                                   j * F::size;
                __builtin_prefetch(x + ahead * all.a_stride, 0, 2);
                if (!repeats) __builtin_prefetch(y + ahead * all.b_stride, 0, 2);
                if (all.n - j >= width)
                    accumulate(F::doubles(x), repeats ? same[r] : F::doubles(y), lane);
                else
                    accumulate(some(x, all.n - j), repeats ? same[r] : some(y, all.n - j), lane);
            }
            store(t.sum + at, lane.sum);
            store(t.rest + at, lane.rest);
            store(t.sizes + at, lane.sizes);
        }
    }

    template <bool repeats>
    static void add_all(Tile& t, std::size_t first, const DotRows& all) {
        const char *a = all.a, *b = all.b;
        std::size_t r = 0;
        for (; r + 4 <= all.rows; r += 4, a += 4 * all.a_stride, b += 4 * all.b_stride)
            add_rows<4, repeats>(t, first, all, a, b);
        for (; r < all.rows; ++r, a += all.a_stride, b += all.b_stride)
            add_rows<1, repeats>(t, first, all, a, b);
    }

    static void columns(void* tile, std::size_t first, const DotRows& all) {
        Tile& t = *static_cast<Tile*>(tile);
        const std::size_t end = first + (all.n + width - 1) / width * width;
        for (std::size_t j = first; j < end; ++j) t.sum[j] = t.rest[j] = t.sizes[j] = 0;
        if (all.repeats)
            add_all<true>(t, first, all);
        else
            add_all<false>(t, first, all);
        // Nothing is added to the columns beyond the last one.
        for (std::size_t j = first; j < end; j += width)
            add_lane(t, j, {load<Doubles>(t.sum + j), load<Doubles>(t.rest + j), load<Doubles>(t.sizes + j)},
                     all.rows, all.rows);
    }

    static std::size_t finish(void* tile, std::size_t j, std::size_t n, double lost, Format format, void* out,
                              std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t k = j; k < j + n; ++k) t.sizes[k] = t.bound[k] + lost;
        return certify_words({t.hi + j, t.lo + j, t.sizes + j}, n, {Finalize::itself, format, 1}, out,
                             failed);
    }

    static Sum total(const void* tile, std::size_t j) {
        const Tile& t = *static_cast<const Tile*>(tile);
        return {t.hi[j], t.lo[j], t.bound[j]};
    }

    static constexpr DotMethod method() { return {Tile::init, lanes, columns, Tile::merge, finish, total}; }
};

}  // namespace samesum::SAMESUM_ISA
