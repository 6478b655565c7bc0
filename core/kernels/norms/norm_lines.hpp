// Normalizations of lines: float64 for the narrow formats, double-words for float64 and for what float64
// leaves in doubt.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/norms/norm_measure.hpp"
#include "kernels/norms/norm_results.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of F, results of Out.
template <class F, class Part, class Out = F>
struct NormLines {
    // `mask` clears the signs, or nothing.
    static SAMESUM_INLINE Part part_of(const char* p, std::size_t n, double centre, Longs mask) {
        return Spread<F, Part>::part_of(p, n, centre, [=](Doubles x) SAMESUM_INLINED {
            return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & mask);
        });
    }

    // Lines in blocks: the shorter they are, the fewer results are in doubt.
    static constexpr std::size_t line_block = 1024;
    static SAMESUM_INLINE void add_line(const char* x, std::size_t n, double centre, Longs mask,
                                        SpreadTile::Totals& t) {
        for (std::size_t i = 0; i < n; i += line_block) {
            const std::size_t now = std::min(line_block, n - i);
            folded_alone(part_of(x + i * F::size, now, centre, mask))
                .add_to(t, static_cast<double>(now), Spread<F, Part>::depth_of(now));
        }
    }

    // Of inverses: what is scaled in single doubles neither underflows nor overflows.
    static constexpr double range = std::is_same_v<Part, WideSpread> ? 0x1p1000 : 0x1p300;

    static void measure(const NormRow& row, const char* const* x, std::size_t n, std::size_t count,
                        NormLine* lines) {
        const Longs mask = Longs{} + (row.divisor == Divisor::magnitudes ? INT64_MAX : -1);
        const double elements = static_cast<double>(n);
        const auto centre_of = [&](std::size_t k) {
            return row.centred ? Spread<F, Part>::some(x[k], 1)[0] : 0.0;
        };
        std::size_t k = 0;
        for (; k + width <= count && n <= block_elements; k += width) {
            Part part[width];
            SpreadTile::Totals t = {};
            for (std::size_t r = 0; r < width; ++r) {
                t.centre[r] = centre_of(k + r);
                part[r] = part_of(x[k + r], n, t.centre[r], mask);
            }
            folded_rows(part).add_to(t, elements, Spread<F, Part>::depth_of(n));
            NormMeasure::put(row, t, elements, range, width, lines + k);
        }
        for (; k < count; ++k) {
            SpreadTile::Totals t = {};
            t.centre += centre_of(k);
            add_line(x[k], n, t.centre[0], mask, t);
            NormMeasure::put(row, t, elements, range, 1, lines + k);
        }
    }

    static std::size_t finish(const NormLine& line, const char* x, std::size_t n, const NormScale& by,
                              void* out, std::uint16_t* doubtful) {
        constexpr bool is_wide = std::is_same_v<Part, WideSpread>;
        char* const to = static_cast<char*>(out);
        if (by.each) return NormRun<F, Out, is_wide, true>{line, {line, by}, x, by, to, doubtful}.run(n);
        return NormRun<F, Out, is_wide, false>{line, {line, by}, x, by, to, doubtful}.run(n);
    }
};

}  // namespace samesum::SAMESUM_ISA
