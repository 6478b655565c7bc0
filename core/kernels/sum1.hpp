// Tier 1 of the sums of float16, bfloat16 and float32: float64 lanes, with a sum of magnitudes for the bound.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

constexpr double unit_roundoff = 0x1p-53;
// Covers the float32 rounding of the magnitudes (below 2^-11 for a block) and of the bound's own arithmetic.
constexpr double bound_slack = 1.01;

template <class F, Map map>
struct Sum1 {
    // Rows between two flushes of the columns into the double-word totals.
    static constexpr std::size_t rows_per_flush = 128;
    // float16 values are multiples of 2^-24 below 2^16: float64 sums of a block of them are exact. Magnitudes
    // and squares are their own magnitude sum.
    static constexpr bool exact = F::format == Format::f16 && map != Map::square;
    static constexpr bool tracks_magnitude = !exact && map == Map::itself;

    struct Tile {
        double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch], block[tile_pitch];
        float sizes[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static SAMESUM_INLINE Doubles mapped(Doubles x) {
        if constexpr (map == Map::magnitude) return samesum::SAMESUM_ISA::magnitude(x);
        if constexpr (map == Map::square) return x * x;
        return x;
    }

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.hi[j] = t.lo[j] = t.bound[j] = 0;
    }

    static SAMESUM_INLINE void accumulate(const char* p, Doubles& sum, Floats& sizes) {
        const Floats x = F::floats(p);
        sum += mapped(widen(x));
        if constexpr (tracks_magnitude) sizes += samesum::SAMESUM_ISA::magnitude(x);
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        constexpr std::size_t chains = 4, step = chains * width;
        Doubles sum[chains] = {};
        Floats sizes[chains] = {};
        const char* p = static_cast<const char*>(x);
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch<step * F::size>(p + prefetch_distance);
            for (std::size_t k = 0; k < chains; ++k) accumulate(p + k * width * F::size, sum[k], sizes[k]);
        }
        for (; i + width <= n; i += width, p += width * F::size) accumulate(p, sum[0], sizes[0]);
        if (i < n) {
            char padded[width * F::size];
            pad<F>(p, n - i, padded);
            accumulate(padded, sum[1], sizes[1]);
        }
        const double value = total((sum[0] + sum[1]) + (sum[2] + sum[3]));
        double bound = 0;
        if constexpr (!exact) {
            // No element goes through more additions than this.
            const double depth = static_cast<double>(n / step + chains + 16);
            double size = value;
            if constexpr (tracks_magnitude) size = total(widen((sizes[0] + sizes[1]) + (sizes[2] + sizes[3])));
            bound = depth * (unit_roundoff * bound_slack) * size;
        }
        add_block(*static_cast<Tile*>(tile), j, value, bound);
    }

    static SAMESUM_INLINE double total(Doubles v) {
        double s[width];
        __builtin_memcpy(s, &v, sizeof v);
        for (std::size_t half = width / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) s[k] += s[k + half];
        return s[0];
    }

    // Sums of these formats overflow no double: what is not finite came from the data and stays.
    static SAMESUM_INLINE void add_block(Tile& t, std::size_t j, double value, double bound) {
        double carry, residual;
        two_sum(t.hi[j], value, t.hi[j], carry);
        two_sum(t.lo[j], carry, t.lo[j], residual);
        t.bound[j] += bound + samesum::magnitude(residual);
    }

    // Rows added up before they go into the block sum: fewer additions in a row, and a smaller bound.
    static constexpr std::size_t rows_per_pass = 4;

    struct Pair {
        Doubles sum;
        Floats sizes;
    };

    static SAMESUM_INLINE Pair pair(const char* p) {
        const Floats x = F::floats(p);
        return {mapped(widen(x)), samesum::SAMESUM_ISA::magnitude(x)};
    }

    static SAMESUM_INLINE Pair joined(const Pair& a, const Pair& b) { return {a.sum + b.sum, a.sizes + b.sizes}; }

    // Two vectors at a time, which is a cache line of float32.
    static SAMESUM_INLINE void add_pass(const char* x, std::ptrdiff_t row_stride, std::size_t n, Tile& t) {
        static_assert(rows_per_pass == 4);
        std::size_t j = 0;
        for (; j + 2 * width <= n; j += 2 * width) {
            const char* p = x + j * F::size;
            for (std::size_t r = 0; r < rows_per_pass; ++r) __builtin_prefetch(p + prefetched(r, row_stride), 0, 2);
            for (std::size_t k = 0; k < 2; ++k, p += width * F::size) {
                const Pair front = joined(pair(p), pair(p + row_stride));
                const Pair back = joined(pair(p + 2 * row_stride), pair(p + 3 * row_stride));
                const Pair both = joined(front, back);
                double* block = t.block + j + k * width;
                float* sizes = t.sizes + j + k * width;
                store(block, load<Doubles>(block) + both.sum);
                if constexpr (tracks_magnitude) store(sizes, load<Floats>(sizes) + both.sizes);
            }
        }
        for (; j < n; j += width) add_narrow(x + j * F::size, row_stride, rows_per_pass, n - j, t.block + j, t.sizes + j);
    }

    static SAMESUM_INLINE std::ptrdiff_t prefetched(std::size_t row, std::ptrdiff_t row_stride) {
        return static_cast<std::ptrdiff_t>(row + rows_per_pass) * row_stride;
    }

    static void add_row(const char* p, std::size_t n, Tile& t) {
        for (std::size_t j = 0; j < n; j += width) add_narrow(p + j * F::size, 0, 1, n - j, t.block + j, t.sizes + j);
    }

    // At most `width` columns, row by row.
    static SAMESUM_INLINE void add_narrow(const char* p, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                                          double* block, float* block_sizes) {
        Doubles sum = load<Doubles>(block);
        Floats sizes = load<Floats>(block_sizes);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            if (n >= width) {
                accumulate(p, sum, sizes);
            } else {
                char padded[width * F::size];
                pad<F>(p, n, padded);
                accumulate(padded, sum, sizes);
            }
        }
        store(block, sum);
        if constexpr (tracks_magnitude) store(block_sizes, sizes);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        const std::size_t padded = (n + width - 1) / width * width;
        while (rows > 0) {
            const std::size_t now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < padded; ++j) t.block[j] = 0;
            for (std::size_t j = 0; j < padded; ++j) t.sizes[j] = 0;
            std::size_t r = 0;
            const std::ptrdiff_t pass_stride = static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride;
            for (; r + rows_per_pass <= now; r += rows_per_pass, p += pass_stride) add_pass(p, row_stride, n, t);
            for (; r < now; ++r, p += row_stride) add_row(p, n, t);
            flush(t, now / rows_per_pass + 2 * rows_per_pass, n);
            rows -= now;
        }
    }

    // `depth`: no element went through more additions than this.
    static void flush(Tile& t, std::size_t depth, std::size_t n) {
        const double factor = exact ? 0 : static_cast<double>(depth) * (unit_roundoff * bound_slack);
        for (std::size_t j = 0; j < n; ++j) {
            double carry, residual;
            const double size = tracks_magnitude ? static_cast<double>(t.sizes[j]) : t.block[j];
            two_sum(t.hi[j], t.block[j], t.hi[j], carry);
            two_sum(t.lo[j], carry, t.lo[j], residual);
            t.bound[j] += samesum::magnitude(residual) + (exact ? 0 : factor * size);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Tile& t = *static_cast<Tile*>(tile);
        const Tile& f = *static_cast<const Tile*>(from);
        add_block(t, j, f.hi[i], f.bound[i]);
        double residual;
        two_sum(t.lo[j], f.lo[i], t.lo[j], residual);
        t.bound[j] += samesum::magnitude(residual);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        return certify_interval({t.hi, t.lo, t.bound}, n, how, out, failed);
    }

    static constexpr Method method() { return {tile_columns, init, each_lane<lane>, columns, merge, finish}; }
};

}  // namespace samesum::SAMESUM_ISA
