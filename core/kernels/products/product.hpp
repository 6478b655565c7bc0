// Products of floats.
#pragma once

#include "kernels/certify/certify_products.hpp"
#include "kernels/products/factors.hpp"
#include "kernels/products/row_products.hpp"
#include "kernels/products/run_product.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct RealProduct {
    struct Tile {
        double hi[tile_pitch], lo[tile_pitch];
        double bound[tile_pitch];  // relative, of what was lost
        std::int64_t exponent[tile_pitch], mark[tile_pitch], lost[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    using Run = RunProduct<F>;
    static constexpr std::size_t steps = Run::steps;

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < (n + width - 1) / width * width; ++j) {
            t.hi[j] = 1;
            t.lo[j] = t.bound[j] = 0;
            t.exponent[j] = t.mark[j] = t.lost[j] = 0;
        }
    }

    // Multiplies column j by a double-word that is at most 2^32, of which `bound` was lost if `lost`.
    static SAMESUM_INLINE void join(Tile& t, std::size_t j, double hi, double lo, std::int64_t exponent,
                                    std::int64_t mark, bool lost, double bound) {
        Factors a = {Doubles{} + t.hi[j], Doubles{} + t.lo[j], Longs{} + t.exponent[j], Longs{}};
        a.multiply(Factors{Doubles{} + hi, Doubles{} + lo, Longs{} + exponent, Longs{}});
        t.hi[j] = a.hi[0];
        t.lo[j] = a.lo[0];
        t.exponent[j] = a.exponent[0];
        t.mark[j] |= mark;
        t.bound[j] += (lost ? bound : 0) + (a.lost[0] != 0 ? 0x1p-98 : 0);
    }

    // What `count` multiplications in chains of at most `longest` lose, and the joining of up to 32 lanes.
    // In a chain from a normalised word the low word is at most (k + 1) u of the product after k steps (u =
    // 2^-53) and rounded by so many u^2: k (k + 3) / 2 u^2 in all. (Lemma 25)
    // Low words of m u, joined by twos (kernels/products/factors.hpp), lose m^2 + 3 m + 2 of u^2 each time
    // and grow to (2 m + 1) u: of 32 normalised lanes 16 * 6 + 8 * 20 + 4 * 72 + 2 * 272 + 1056 = 2144 u^2.
    // Where elements are left over, four lanes of each vector are joined first, 16 * 6 + 8 * 20 = 256 u^2; up
    // to 16 steps from 7 u lose 16 * 7 + 16 * 17 / 2 = 248 u^2 in each of 8 lanes, 176 of which are the
    // chain's term; these lanes are normalised and joined, 4 * 6 + 2 * 20 + 72 = 136 u^2: in all 968 u^2.
    // 2^-94 is 4096 u^2; the rest of it is for terms in u^3.
    static constexpr double lost_by(std::size_t count, std::size_t longest = steps) {
        return static_cast<double>(count) * (static_cast<double>(longest) + 6) * 0x1p-107 + 0x1p-94;
    }

    // The lanes of a run of elements multiplied into column j.
    static void add_run(Tile& t, std::size_t j, const char* p, std::size_t n) {
        Run run = Run::of(p, n);
        run.template fold<1>();
        if constexpr (width >= 4) run.template fold<2>();
        if constexpr (width >= 8) run.template fold<4>();
        std::int64_t mark = 0;
        for (std::size_t k = 0; k < width; ++k) mark |= run.marks[k];
        const Factors& all = run.lanes;
        join(t, j, all.hi[0], all.lo[0], all.exponent[0], mark, all.lost[0] != 0, lost_by(n, run.longest));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        for (std::size_t i = 0; i < n; i += Run::most) {
            add_run(*static_cast<Tile*>(tile), j, static_cast<const char*>(x) + i * F::size,
                    n - i < Run::most ? n - i : Run::most);
        }
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        const bool few = n <= RowProducts<F>::most;
        std::size_t r = 0;
        for (; r + width <= rows && n >= width && n <= Run::most; r += width) {
            const char* const first = p + static_cast<std::ptrdiff_t>(r) * row_stride;
            if (!few || !multiply_few(t, j + r, first, n, row_stride))
                multiply_runs(t, j + r, first, n, row_stride);
        }
        each_lane<lane>(tile, j + r, p + static_cast<std::ptrdiff_t>(r) * row_stride, n, row_stride,
                        rows - r);
    }

    // `width` rows into as many columns.
    static bool multiply_few(Tile& t, std::size_t j, const char* p, std::size_t n,
                             std::ptrdiff_t row_stride) {
        Factors products;
        if (!RowProducts<F>::multiply(p, row_stride, n, products)) return false;
        multiply_column(t, j, products, RowProducts<F>::lost_of(n));
        return true;
    }

    // The same of any elements, and of up to Run::most.
    static void multiply_runs(Tile& t, std::size_t j, const char* p, std::size_t n,
                              std::ptrdiff_t row_stride) {
        Run row[width];
        for (std::size_t r = 0; r < width; ++r, p += row_stride) row[r] = Run::of_row(p, n);
        const Run all = folded_rows(row);
        store(t.mark + j, load<Longs>(t.mark + j) | all.marks);
        multiply_column(t, j, all.lanes, lost_by(n, all.longest));
    }

    // A vector of columns times products of which `lost` was lost if anything was.
    static SAMESUM_INLINE void multiply_column(Tile& t, std::size_t j, Factors products, double lost) {
        const Doubles none = {};
        const Doubles bound = load<Doubles>(t.bound + j) + (products.lost != 0 ? none + lost : none);
        products.lost = Longs{};
        Factors column = load_column(t, j);
        column.multiply(products);
        store(t.bound + j, bound + (column.lost != 0 ? none + 0x1p-98 : none));
        column.lost = Longs{};
        store_column(t, j, column);
    }

    static SAMESUM_INLINE Factors load_column(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.hi + j), load<Doubles>(t.lo + j), load<Longs>(t.exponent + j),
                load<Longs>(t.lost + j)};
    }

    static SAMESUM_INLINE void store_column(Tile& t, std::size_t j, const Factors& column) {
        store(t.hi + j, column.hi);
        store(t.lo + j, column.lo);
        store(t.exponent + j, column.exponent);
        store(t.lost + j, column.lost);
    }

    // A vector of columns times elements of any kind, one row after the other.
    static SAMESUM_APART void multiply_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                            std::size_t rows, std::size_t n) {
        Factors column = load_column(t, j);
        Longs marks = load<Longs>(t.mark + j);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            multiply_any(column, marks, n < width ? padded_with_ones<F>(p, n) : F::doubles(p));
        }
        store_column(t, j, column);
        store(t.mark + j, marks);
    }

    // As many rows times a vector of columns.
    template <std::size_t rows, std::size_t together>
    static SAMESUM_INLINE void multiply_columns(Tile& t, std::size_t j, const char* p,
                                                std::ptrdiff_t row_stride) {
        RangedProduct all = RangedProduct::of(load_column(t, j));
        for (std::size_t r = 0; r < rows; r += together)
            all.take(
                packed_product<F, together>(p + static_cast<std::ptrdiff_t>(r) * row_stride, row_stride));
        if (any(~all.is_in_range())) return multiply_apart<rows, together>(t, j, p, row_stride);
        store(t.hi + j, all.words.hi);
        store(t.lo + j, all.words.lo);
        store(t.lost + j, all.words.lost);
    }

    // The same with the exponents apart.
    template <std::size_t rows, std::size_t together>
    static SAMESUM_APART void multiply_apart(Tile& t, std::size_t j, const char* p,
                                             std::ptrdiff_t row_stride) {
        Factors column = load_column(t, j);
        column.normalise();
        store_column(t, j, column);
        Longs odd = {};
        for (std::size_t r = 0; r < rows; r += together) {
            const char* row = p + static_cast<std::ptrdiff_t>(r) * row_stride;
            multiply_ordinary(column, odd, packed_product<F, together>(row, row_stride));
        }
        if (any_negative(odd)) return multiply_rows(t, j, p, row_stride, rows, width);
        column.exponent -= static_cast<std::int64_t>(rows / together) * field_bias;
        store_column(t, j, column);
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        constexpr std::ptrdiff_t next = static_cast<std::ptrdiff_t>(rows);
        constexpr std::size_t together = rows < packed<F> ? rows : packed<F>;
        std::size_t j = 0;
        for (; j + width <= n; j += width) {
            const char* p = x + j * F::size;
            prefetch_rows<rows>(p + next * row_stride, row_stride, width * F::size);
            multiply_columns<rows, together>(t, j, p, row_stride);
        }
        if (j < n) multiply_rows(t, j, x + j * F::size, row_stride, rows, n - j);
    }

    static void normalise_columns(Tile& t, std::size_t n, double bound) {
        for (std::size_t j = 0; j < n; j += width) {
            Factors column = load_column(t, j);
            column.normalise();
            const Doubles none = {};
            store(t.bound + j, load<Doubles>(t.bound + j) + (column.lost != 0 ? none + bound : none));
            column.lost = Longs{};
            store_column(t, j, column);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        // More rows of float64 are more lines than memory serves as fast.
        constexpr std::size_t at_once = packed < F >> 1 ? 8 : 4;
        const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(at_once) * row_stride;
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows;) {
            const std::size_t now = rows - r < steps ? rows - r : steps;
            std::size_t done = 0;
            for (; done + at_once <= now; done += at_once, p += step) add_rows<at_once>(t, p, row_stride, n);
            for (; done < now; ++done, p += row_stride) add_rows<1>(t, p, row_stride, n);
            normalise_columns(t, n, lost_by(now));
            r += now;
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const Tile& f = *static_cast<const Tile*>(from);
        join(*static_cast<Tile*>(tile), j, f.hi[i], f.lo[i], f.exponent[i], f.mark[i], false, 0);
        static_cast<Tile*>(tile)->bound[j] += f.bound[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<Tile*>(tile);
        return certify_products({t.hi, t.lo, t.bound, t.exponent, t.mark, t.lost}, 0, n, how.format, out,
                                failed);
    }

    static constexpr Method method() {
        return {tile_columns, init, lanes, columns, each_merge<merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
