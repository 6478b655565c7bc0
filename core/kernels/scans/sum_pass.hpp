// Prefix sums of short lines that stay in registers (kernels/scans/register_lines.hpp).
#pragma once

#include "kernels/blocks/grid.hpp"
#include "kernels/sums/exponent_spread.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Prefix sums of float64 in two parts that are exact, on one grid for many lines.
class SumPass {
  public:
    using Row = UnsignedLongs;
    static constexpr bool takes_turns = true;  // quicker so than through memory

    // What the elements of some lines tell, each of which is one scan or several of `period` elements.
    struct Plan {
        double shift;
        bool usable;
        static constexpr bool reads = true;

        static SAMESUM_INLINE Plan of(const ShortScanLines& lines, std::size_t period) {
            // Bits of magnitudes, of which those of NaNs are the greatest.
            Longs greatest[chains] = {};
            Doubles least[chains];
            for (Doubles& each : least) each = Doubles{} + infinity;
            each_vector(lines, [&](std::size_t k, Doubles v) {
                greatest[k] = greater(greatest[k], reinterpret_cast<Longs>(v) & INT64_MAX);
                least[k] = lesser_magnitude(least[k], v);
            });
            double smallest = least_of(least);
            if (smallest == 0) smallest = least_but_zeros(lines);
            const double count = static_cast<double>(period), size = greatest_of(greatest) * count;
            if (!(size < grid_limit)) return {0, false};
            const double shift = Grid::over(size).shift;
            // The remainders of so many elements on the grid do not add up to more than 53 bits. (Lemma 35)
            return {shift, smallest > shift * ((count + 2) * 0x1p-52)};
        }
    };

    explicit SAMESUM_INLINE SumPass(const Plan& plan) : shift_(Doubles{} + plan.shift) {}

    SAMESUM_INLINE Row take(Row bits) {
        const Doubles x = reinterpret_cast<Doubles>(bits), q = (x + shift_) - shift_;
        lead_ += q;
        rest_ += x - q;
        return reinterpret_cast<Row>(lead_ + rest_);
    }
    SAMESUM_INLINE void restart() { lead_ = rest_ = Doubles{}; }
    SAMESUM_INLINE void settle() {}
    SAMESUM_INLINE bool is_certain() const { return true; }  // as planned

  private:
    static constexpr std::size_t chains = 4;

    // take(k, v) of all elements in whole vectors, of which the last one of a line is over some of the one
    // before.
    template <class Take>
    static SAMESUM_INLINE void each_vector(const ShortScanLines& lines, const Take& take) {
        const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(lines.n * sizeof(double));
        const bool together = lines.pitch == bytes;
        const std::size_t rows = together ? 1 : lines.lines, n = together ? lines.lines * lines.n : lines.n;
        const char* p = lines.x;
        for (std::size_t r = 0; r < rows; ++r, p += lines.pitch) {
            std::size_t i = 0;
            for (; i + chains * width <= n; i += chains * width)
                for_each_of<chains>([&](std::size_t k) {
                    const char* const at = p + (i + k * width) * sizeof(double);
                    __builtin_prefetch(at + prefetch_distances.tile);
                    take(k, load<Doubles>(at));
                });
            for (; i < n; i += width) {
                const std::size_t at = i < n - width ? i : n - width;
                take(0, load<Doubles>(p + at * sizeof(double)));
            }
        }
    }

    static __attribute__((noinline)) double least_but_zeros(const ShortScanLines& lines) {
        Doubles least[chains];
        for (Doubles& each : least) each = Doubles{} + infinity;
        each_vector(lines, [&](std::size_t k, Doubles v) {
            least[k] = v == 0 ? least[k] : lesser_magnitude(least[k], v);
        });
        return least_of(least);
    }

    static SAMESUM_INLINE double least_of(const Doubles (&all)[chains]) {
        return across(all, [](Doubles a, Doubles b) { return lesser_magnitude(a, b); })[0];
    }

    static SAMESUM_INLINE double greatest_of(const Longs (&all)[chains]) {
        return reinterpret_cast<Doubles>(across(all, greater))[0];
    }

    static SAMESUM_INLINE Longs greater(Longs a, Longs b) { return a > b ? a : b; }

    template <class V, class Of>
    static SAMESUM_INLINE V across(const V (&all)[chains], const Of& of) {
        return everywhere(of(of(all[0], all[1]), of(all[2], all[3])), of);
    }

    Doubles shift_, lead_ = {}, rest_ = {};
};

// Prefix sums of float32 that are exact in double, as the magnitudes of each line tell.
class SinglePass {
  public:
    using Row = Words;
    static constexpr bool takes_turns = true;

    struct Plan {
        std::size_t period;
        bool usable;
        static constexpr bool reads = false;

        static Plan of(const ShortScanLines&, std::size_t period) { return {period, true}; }
    };

    explicit SAMESUM_INLINE SinglePass(const Plan& plan) : period_(plan.period) {}

    SAMESUM_INLINE Row take(Row bits) {
        const Floats x = reinterpret_cast<Floats>(bits);
        seen_.take(x);
        sum_ += widen(x);
        return Rounding<Format::f32>::of_number(sum_);
    }
    SAMESUM_INLINE void restart() { sum_ = Doubles{}; }
    SAMESUM_INLINE void settle() {}
    SAMESUM_INLINE bool is_certain() const { return seen_.is_small(period_); }

  private:
    const std::size_t period_;
    Doubles sum_ = {};
    ExponentSpread<Float32> seen_;
};

}  // namespace samesum::SAMESUM_ISA
