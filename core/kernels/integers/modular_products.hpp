// Products of integers modulo 2^k, in their own width or in 64 bits: a multiplication for each vector of
// words.
#pragma once

#include "kernels/accumulators/wrapping_sum.hpp"
#include "kernels/integers/modular_totals.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total>
struct ModularProduct {
    using Totals = ModularTotals<Total, true>;
    using Load = IntegersIn<Integer, Total>;
    using Vector = typename Load::Vector;
    static constexpr std::size_t elements = Load::elements, size = sizeof(Integer);

    struct Tile {
        Total total[tile_pitch];
    };

    static SAMESUM_INLINE Total multiplied(Total total, const char* p) {
        return times(total, static_cast<Total>(load<Integer>(p)));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        constexpr std::size_t chains = 2;
        const char* p = static_cast<const char*>(x);
        Vector part[chains] = {Vector{} + 1, Vector{} + 1};
        for (; n >= chains * elements; n -= chains * elements, p += chains * elements * size) {
            prefetch_run<chains * elements * size>(p);
            for_each_of<chains>([&](std::size_t k)
                                    SAMESUM_INLINED { part[k] *= Load::all(p + k * elements * size); });
        }
        Total factors[elements], total = static_cast<Tile*>(tile)->total[j];
        store(factors, part[0] * part[1]);
        for (const Total factor : factors) total = times(total, factor);
        for (; n > 0; --n, p += size) total = multiplied(total, p);
        static_cast<Tile*>(tile)->total[j] = total;
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Total* const total = static_cast<Tile*>(tile)->total;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            std::size_t j = 0;
            for (; j + elements <= n; j += elements)
                store(total + j, load<Vector>(total + j) * Load::all(p + j * size));
            for (; j < n; ++j) total[j] = multiplied(total[j], p + j * size);
        }
    }

    static constexpr auto lanes = each_lane<lane>;
    static constexpr Method method() {
        return {tile_columns, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
