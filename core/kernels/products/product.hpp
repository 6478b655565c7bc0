// Products of floats.
#pragma once

#include "kernels/accumulators/factors.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/products/product_tile.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Products in three words, far nearer than two are.

// After k factors the middle word is at most about k u and the last one about k^2 u^2 of the product (u =
// 2^-53), and a step loses at most (k + 2)^2 u^3: in a lane (k + 2)^3 / 3 u^3, which is 2^-133 for the 512
// factors of the narrowest vectors' 8 lanes and less for more lanes; 2^-130 in all. (Lemma 28)
struct TripleFactors {
    Doubles hi, mid, lo;
    Longs exponent;

    SAMESUM_INLINE void multiply(Doubles x) {
        const Doubles product = hi * x, error = fused(hi, x, -product);
        const Doubles scaled = mid * x, rest = fused(mid, x, -scaled);
        Doubles residual;
        two_sum(error, scaled, mid, residual);
        lo = fused(lo, x, rest + residual);
        hi = product;
    }
};

template <class F>
struct TripleProduct {
    using Load = FactorsOf<F>;
    static constexpr std::size_t chains = 4,
                                 steps = triple_elements / (chains * Load::together * Load::elements);
    static_assert(chains * width <= TripleLanes::most && steps <= 512);
    static_assert(TripleLanes::lost == 0x1p-130);

    static std::size_t lanes(const void* x, TripleLanes& to) {
        const char* p = static_cast<const char*>(x);
        const Doubles none = {};
        TripleFactors chain[chains];
        for (TripleFactors& each : chain)
            each = {none + 1, none, none, Longs{} - static_cast<std::int64_t>(steps) * field_bias};
        Longs odd = {};
        std::size_t n = triple_elements;
        each_term<Load, chains>(p, n, [&](std::size_t k, Doubles factor) SAMESUM_INLINED {
            const Longs field = exponent_field(factor);
            odd |= is_odd(field);
            chain[k].exponent += field;
            chain[k].multiply(significand_of(factor));
        });
        for (std::size_t k = 0; k < chains; ++k) {
            store(to.hi + k * width, chain[k].hi);
            store(to.mid + k * width, chain[k].mid);
            store(to.lo + k * width, chain[k].lo);
            store(to.exponent + k * width, chain[k].exponent);
        }
        return any_negative(odd) ? 0 : chains * width;
    }
};

template <class F>
struct RealProduct {
    using Tile = ProductTile;
    static constexpr bool is_double = F::format == Format::f64;
    using Few = FewFactors<is_double>;
    using Load = FactorsOf<F>;
    // Factors of one column between two times when it is normalised.
    static constexpr std::size_t steps = AnyFactors::steps;

    // Of a block of a run: elements of any kind.
    static SAMESUM_APART Factors product_apart(const char* p, std::size_t n, Longs& marks) {
        Factors all;
        for (std::size_t now; n > 0; n -= now, p += now * F::size) {
            now = n < steps * width ? n : steps * width;
            WrittenFactors factors;
            write(factors, p, now);
            AnyFactors some;
            factors.multiply(some);
            marks |= some.marks;
            all.multiply(some.words);
        }
        return all;
    }

    // One by one: what is not ordinary has to be told.
    static SAMESUM_INLINE void write(WrittenFactors& to, const char* p, std::size_t n) {
        for (; n >= width; n -= width, p += width * F::size) to.write(F::doubles(p));
        if (n > 0) to.write(padded_with_ones<F>(p, n));
    }

    // Blocks of a run are multiplied without exponents apart until one leaves the range of a double.
    static SAMESUM_APART RunProduct product_of_run(const char* p, std::size_t n) {
        constexpr std::size_t chains = 4, block = RangedFactors::steps * chains * Load::together * width;
        static_assert(RangedFactors::steps * chains <= AnyFactors::steps);
        // Terms, single vectors and the rest after those of all chains go to the first ones.
        RunProduct all{{}, {}, RangedFactors::steps + 8};
        bool ranged = true;
        for (std::size_t now; n > 0; n -= now, p += now * F::size) {
            now = n < block ? n : block;
            if (ranged) {
                const RangedFactors some = state_of_run<RangedFactors, Load, chains>(p, now);
                ranged = !any(some.outside);
                if (ranged) all.words.multiply(some.words);
            }
            if (!ranged) {
                all.longest = steps;
                all.words.multiply(product_apart(p, now, all.marks));
            }
        }
        return all;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = Tile::of(tile);
        const char* const first = static_cast<const char*>(x);
        if (n > Few::most || n < width) return t.multiply_runs(j, product_of_run, first, n, row_stride, rows);
        constexpr std::size_t vector = width * F::size;
        const double loss = Few::loss(n);
        FewRange range;  // of the rows that are folded next
        each_fold_of_rows(
            first, row_stride, rows,
            [n, &range](const char* p) SAMESUM_INLINED -> FewProduct<is_double> {
                prefetch_run<vector>(p);
                const Few row =
                    state_of_run<Few, Load, 1>(p + vector, n - width, Few::of(F::doubles(p)), true);
                range.see(row);
                return row;
            },
            [&](std::size_t r, const FewProduct<is_double>& all) SAMESUM_INLINED {
                const std::size_t here = rows - r < width ? rows - r : width;
                if (range.holds(all))
                    t.multiply(j + r, {all.factors()}, loss, here);
                else
                    t.multiply_runs(j + r, product_of_run,
                                    first + static_cast<std::ptrdiff_t>(r) * row_stride, n, row_stride, here);
                range = {};
            });
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) { lanes(tile, j, x, n, 0, 1); }

    // A vector of columns times rows of elements of any kind.
    static SAMESUM_APART void multiply_any_rows(Tile& t, std::size_t j, const char* p,
                                                std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        WrittenFactors factors;
        for (std::size_t r = 0; r < rows; ++r, p += row_stride)
            factors.write(n < width ? padded_with_ones<F>(p, n) : F::doubles(p));
        t.multiply_any(j, factors);
    }

    // The same of elements and products that stay within the range of a double.
    template <std::size_t rows>
    static SAMESUM_INLINE bool multiply_ranged(Tile& t, std::size_t j, const char* p,
                                               std::ptrdiff_t row_stride) {
        constexpr std::size_t together = rows < Load::together ? rows : Load::together;
        RangedFactors all{t.at(j)};
        for_each_of<rows / together>([&](std::size_t k) SAMESUM_INLINED {
            all.take(Load::template product<together>(
                p + static_cast<std::ptrdiff_t>(k * together) * row_stride, row_stride));
        });
        if (any(~all.is_in_range())) return false;
        store(t.hi + j, all.words.hi);
        store(t.lo + j, all.words.lo);
        store(t.lost + j, all.words.lost);
        return true;
    }

    // What has left the range once may stay in it from a normalised product on.
    template <std::size_t rows>
    static SAMESUM_APART void multiply_again(Tile& t, std::size_t j, const char* p,
                                             std::ptrdiff_t row_stride) {
        Factors column = t.at(j);
        column.normalise();
        t.put(j, column);
        if (!multiply_ranged<rows>(t, j, p, row_stride)) multiply_any_rows(t, j, p, row_stride, rows, width);
    }

    // Up to `steps` rows since the columns were normalised.
    static void multiply_rows(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t rows,
                              std::size_t n) {
        each_vector_of_rows<Load>(
            x, row_stride, rows, n,
            [&](auto count, std::size_t j, const char* p) SAMESUM_INLINED {
                if (!multiply_ranged<count>(t, j, p, row_stride)) multiply_again<count>(t, j, p, row_stride);
            },
            [&](std::size_t count, std::size_t j, const char* p, std::size_t m)
                SAMESUM_INLINED { multiply_any_rows(t, j, p, row_stride, count, m); });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = rows < steps ? rows : steps;
            multiply_rows(t, p, row_stride, now, n);
            t.normalise(n, product_loss(now));
        }
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, lanes, columns, Tile::merge_all, Tile::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
