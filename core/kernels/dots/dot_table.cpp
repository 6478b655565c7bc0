// Dot products: the methods of one instruction set, compiled as table.cpp is. Products of floats are exact,
// in two words those of float64, and are added up in double-word lanes.
#include "kernels/integers/modular_totals.hpp"
#include "kernels/sums/sum2.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/transpose.hpp"
#include "methods/tables.hpp"

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

    // Rows of fewer elements are transposed, a square of them at a time, and added up as columns.
    static constexpr std::size_t transposed_below = 33;

    // Whether whole vectors can be read from each of `width` rows: up to the end of the last one of all.
    static SAMESUM_INLINE bool are_readable(std::ptrdiff_t stride, std::size_t rows, std::size_t n) {
        const std::size_t more = (n + width - 1) / width * width - n;
        return static_cast<std::ptrdiff_t>(more * F::size) <=
               static_cast<std::ptrdiff_t>(rows - width) * stride;
    }

    static SAMESUM_INLINE void square(const char* x, std::ptrdiff_t stride, Doubles (&v)[width]) {
        for (std::size_t k = 0; k < width; ++k, x += stride) {
            prefetch_run<width * F::size>(x);
            v[k] = F::doubles(x);
        }
    }

    // Element k of the result is of row k.
    static SAMESUM_INLINE Lane transposed_lane(const char* a, std::ptrdiff_t a_stride, const char* b,
                                               std::ptrdiff_t b_stride, std::size_t n) {
        Lane lane = {};
        for (std::size_t i = 0; i < n; i += width) {
            Doubles x[width], y[width];
            square(a + i * F::size, a_stride, x);
            square(b + i * F::size, b_stride, y);
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

    static void lanes(void* tile, std::size_t j, const void* pair, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const PairRows& all = *static_cast<const PairRows*>(pair);
        const char *a = all.x, *b = all.other;
        const auto next = [&](std::size_t count) {
            a += static_cast<std::ptrdiff_t>(count) * row_stride;
            b += static_cast<std::ptrdiff_t>(count) * all.other_stride;
        };
        if (n < transposed_below) {
            for (; rows >= width && are_readable(row_stride, rows, n) &&
                   are_readable(all.other_stride, rows, n);
                 rows -= width, j += width) {
                add_lane(t, j, transposed_lane(a, row_stride, b, all.other_stride, n), n, n);
                next(width);
            }
        }
        const bool short_rows = n < 4 * step;
        for (std::size_t here; rows > 0; rows -= here, j += here) {
            here = rows < width ? rows : width;
            Lane row[width] = {};
            for (std::size_t k = 0; k < here; ++k, next(1))
                row[k] = short_rows ? lane_of_few(a, b, n) : lane_of_run(a, b, n);
            add_lane(t, j, folded_rows(row), n, Totals::depth_of(n));
        }
    }

    template <std::size_t rows, bool repeats>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* a, std::ptrdiff_t a_stride, const char* b,
                                        std::ptrdiff_t b_stride, std::size_t n) {
        Doubles same[rows];
        const auto row = [](std::size_t r) { return static_cast<std::ptrdiff_t>(r); };
        for (std::size_t r = 0; repeats && r < rows; ++r)
            same[r] = Doubles{} + some(b + row(r) * b_stride, 1)[0];
        const std::ptrdiff_t ahead = n < 128 ? 32 : 4;
        for (std::size_t j = 0; j < n; j += width) {
            Lane lane = Lane::at(t.sum + j, t.rest + j, t.sizes + j);
            for (std::size_t r = 0; r < rows; ++r) {
                const char* const x = a + row(r) * a_stride + j * F::size;
                const char* const y = b + row(r) * b_stride + j * F::size;
                __builtin_prefetch(x + ahead * a_stride, 0, 2);
                if (!repeats) __builtin_prefetch(y + ahead * b_stride, 0, 2);
                if (n - j >= width)
                    accumulate(F::doubles(x), repeats ? same[r] : F::doubles(y), lane);
                else
                    accumulate(some(x, n - j), repeats ? same[r] : some(y, n - j), lane);
            }
            lane.put(t.sum + j, t.rest + j, t.sizes + j);
        }
    }

    template <bool repeats>
    static void add_all(Tile& t, const char* a, std::ptrdiff_t a_stride, const char* b,
                        std::ptrdiff_t b_stride, std::size_t rows, std::size_t n) {
        for (; rows >= 4; rows -= 4, a += 4 * a_stride, b += 4 * b_stride)
            add_rows<4, repeats>(t, a, a_stride, b, b_stride, n);
        for (; rows > 0; --rows, a += a_stride, b += b_stride)
            add_rows<1, repeats>(t, a, a_stride, b, b_stride, n);
    }

    static void columns(void* tile, const void* pair, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const PairRows& all = *static_cast<const PairRows*>(pair);
        for (std::size_t j = 0; j < padded(n); ++j) t.sum[j] = t.rest[j] = t.sizes[j] = 0;
        const auto add = all.repeats ? add_all<true> : add_all<false>;
        add(t, all.x, row_stride, all.other, all.other_stride, rows, n);
        // Nothing is added to the columns beyond the last one.
        for (std::size_t j = 0; j < n; j += width)
            add_lane(t, j, Lane::at(t.sum + j, t.rest + j, t.sizes + j), rows, rows);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.sizes[j] = total(tile, j, how.count).bound;
        return certify_words({t.hi, t.lo, t.sizes}, n, {Finalize::itself, how.format, 1}, out, failed);
    }

    // What all products together may have lost to underflow counts, too.
    static Sum total(const void* tile, std::size_t j, std::int64_t count) {
        const Tile& t = *static_cast<const Tile*>(tile);
        const double lost = F::format == Format::f64 ? product_underflow * static_cast<double>(count) : 0;
        return {t.hi[j], t.lo[j], t.bound[j] + lost};
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, lanes, columns, Tile::merge_all, finish};
    }
};

// Dot products of integers modulo 2^k, in loops that compilers make vectors of.

template <class Integer>
struct IntegerDots {
    using Totals = ModularTotals<Integer>;

    // Through unsigned int, for 16-bit products would otherwise overflow a signed one.
    static SAMESUM_INLINE Integer times(Integer a, Integer b) {
        return static_cast<Integer>(std::common_type_t<Integer, unsigned>{a} * b);
    }

    static SAMESUM_INLINE Integer product(const char* a, const char* b, std::size_t i) {
        return times(load<Integer>(a + i * sizeof(Integer)), load<Integer>(b + i * sizeof(Integer)));
    }

    static SAMESUM_INLINE Integer sum(Integer a, Integer b) { return static_cast<Integer>(a + b); }

    static void lanes(void* tile, std::size_t j, const void* pair, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        constexpr std::size_t step = 4 * vector_bytes / sizeof(Integer);
        Integer* const totals = static_cast<Integer*>(tile) + j;
        const PairRows& all = *static_cast<const PairRows*>(pair);
        for (std::size_t r = 0; r < rows; ++r) {
            const char* x = all.x + static_cast<std::ptrdiff_t>(r) * row_stride;
            const char* y = all.other + static_cast<std::ptrdiff_t>(r) * all.other_stride;
            Integer total = totals[r], part[step] = {};
            std::size_t i = 0;
            for (; i + step <= n; i += step, x += step * sizeof(Integer), y += step * sizeof(Integer)) {
                prefetch_run<step * sizeof(Integer)>(x);
                prefetch_run<step * sizeof(Integer)>(y);
                for (std::size_t k = 0; k < step; ++k) part[k] = sum(part[k], product(x, y, k));
            }
            for (std::size_t k = 0; i > 0 && k < step; ++k) total = sum(total, part[k]);
            for (std::size_t k = 0; k < n - i; ++k) total = sum(total, product(x, y, k));
            totals[r] = total;
        }
    }

    static void columns(void* tile, const void* pair, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Integer* const totals = static_cast<Integer*>(tile);
        const PairRows& all = *static_cast<const PairRows*>(pair);
        const char *a = all.x, *b = all.other;
        for (std::size_t r = 0; r < rows; ++r, a += row_stride, b += all.other_stride) {
            prefetch<64>(a + 4 * row_stride);
            if (all.repeats) {
                const Integer same = load<Integer>(b);
                for (std::size_t k = 0; k < n; ++k)
                    totals[k] = sum(totals[k], times(load<Integer>(a + k * sizeof same), same));
            } else {
                for (std::size_t k = 0; k < n; ++k) totals[k] = sum(totals[k], product(a, b, k));
            }
        }
    }

    static constexpr Method method() {
        return {tile_columns, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

extern const DotMethods dots;
const DotMethods dots{
    {Dots<Float16>::method(), Dots<Bfloat16>::method(), Dots<Float32>::method(), Dots<Float64>::method()},
    {IntegerDots<std::uint8_t>::method(), IntegerDots<std::uint16_t>::method(),
     IntegerDots<std::uint32_t>::method(), IntegerDots<std::uint64_t>::method()},
    {Dots<Float16>::total, Dots<Bfloat16>::total, Dots<Float32>::total, Dots<Float64>::total}};

}  // namespace samesum::SAMESUM_ISA
