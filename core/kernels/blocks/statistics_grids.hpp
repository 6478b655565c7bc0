// Exact sums of blocks of floats in doubles: on grids (kernels/blocks/grid.hpp) whose units follow from the
// greatest and the least magnitude.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/statistics.hpp"

namespace samesum::SAMESUM_ISA {

// Every element is a multiple of 2^unit and below 2^(greatest + 1).
struct OctaveRange {
    int greatest, unit;
    int depth() const { return greatest - unit; }
};

// 2^exponent of a normal double.
SAMESUM_INLINE double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

SAMESUM_INLINE double total_of(Doubles v) {
    double total = 0;
    for (std::size_t k = 0; k < width; ++k) total += v[k];
    return total;
}

// The exact total of up to 2^20 doubles that are multiples of 2^unit, each up to 2^53 of it, in two parts.
struct TwoPartTotal {
    Doubles high{}, low{};
    double shift;

    explicit TwoPartTotal(int unit) : shift(1.5 * power_of_two(unit + 26 + 52)) {}
    SAMESUM_INLINE void take(Doubles v) {
        const Doubles coarse = (v + shift) - shift;
        high += coarse;
        low += v - coarse;
    }
};

// Sums on a grid of unit 2^(top - 52): exact while they stay below 2^(top - 1).
template <std::size_t chains>
struct GridSum {
    Doubles sum[chains];
    double shift;

    explicit GridSum(int top) : shift(1.5 * power_of_two(top)) {
        for_each_of<chains>([&](std::size_t k) { sum[k] = Doubles{} + shift; });
    }
    // What is left of v.
    SAMESUM_INLINE Doubles take(std::size_t k, Doubles v) {
        const Doubles moved = sum[k] + v, rest = v - (moved - sum[k]);
        sum[k] = moved;
        return rest;
    }
    // What is left of v * v, which is exact.
    SAMESUM_INLINE Doubles take_square(std::size_t k, Doubles v) {
        if constexpr (!has_fused) return take(k, v * v);
        const Doubles moved = fused(v, v, sum[k]), rest = fused(v, v, sum[k] - moved);
        sum[k] = moved;
        return rest;
    }
    double total() const {
        Doubles all{};
        for (const Doubles& each : sum) all += each - shift;
        return total_of(all);
    }
};

// take(place, steps) of runs of at most `most` steps of so many elements; the last step is filled up with
// zeros.
template <class F, std::size_t step, class Take>
SAMESUM_INLINE void each_run(const char* p, std::size_t n, std::size_t most, const Take& take) {
    std::size_t i = 0;
    while (i + step <= n) {
        const std::size_t steps = std::min(most, (n - i) / step);
        take(p + i * F::size, steps);
        i += steps * step;
    }
    if (i == n) return;
    char padded[step * F::size] = {};
    __builtin_memcpy(padded, p + i * F::size, (n - i) * F::size);
    take(padded, 1);
}

// Of formats narrower than float64, whose squares are exact. In a run of 2^7 steps, sums of
// elements are below 2^(greatest + 8), those of squares below 2^(2 greatest + 9), of which 2^(2 greatest -
// 43) is left at most for each element: all sums are exact to the depth of 44. (Lemma 20)
template <class F>
struct OneGridStatistics {
    static constexpr int run_bits = 7, deepest = 51 - run_bits;
    static constexpr std::size_t chains = width == 8 ? 4 : 2, step = chains * width;  // as registers suffice

    struct Places {
        Doubles itself[chains]{}, size[chains]{}, rest[chains]{};
        GridSum<chains> square;

        Places(const char* p, std::size_t steps, int top) : square(top) {
            for (std::size_t i = 0; i < steps; ++i) {
                for_each_of<chains>([&](std::size_t k) {
                    const Doubles v = F::doubles(p + (i * step + k * width) * F::size);
                    itself[k] += v;
                    size[k] += samesum::SAMESUM_ISA::magnitude(v);
                    rest[k] += square.take_square(k, v);
                });
            }
        }
    };

    struct Totals {
        TwoPartTotal itself, size, square, rest;

        Totals(int top, int unit) : itself(unit), size(unit), square(top - 52), rest(2 * unit) {}
        void take(const Places& places) {
            for_each_of<chains>([&](std::size_t k) {
                itself.take(places.itself[k]);
                size.take(places.size[k]);
                square.take(places.square.sum[k] - places.square.shift);
                rest.take(places.rest[k]);
            });
        }
        void give(BlockStatistics& found) const {
            const TwoPartTotal* maps[] = {&itself, &size, &square};
            for (std::size_t map = 0; map < 3; ++map) {
                found.part[map][0] = total_of(maps[map]->high);
                found.part[map][1] = total_of(maps[map]->low);
                found.known[map] = true;
            }
            found.part[2][2] = total_of(rest.high);
            found.part[2][3] = total_of(rest.low);
        }
    };

    static bool take(const char* p, std::size_t n, OctaveRange range, BlockStatistics& found) {
        if (range.depth() > deepest) return false;
        const int top = 2 * range.greatest + run_bits + 3;
        Totals totals(top, range.unit);
        each_run<F, step>(p, n, std::size_t{1} << run_bits, [&](const char* from, std::size_t steps) {
            totals.take(Places(from, steps, top));
        });
        totals.give(found);
        return true;
    }
};

// Of any format, on more grids: what the other methods do not reach.
template <class F>
struct ManyGridStatistics {
    static constexpr std::size_t chains = 4, step = chains * width;
    static constexpr int bits = std::bit_width(statistics_block(F::format) - 1);  // of the number of elements

    // take(chain, doubles) of all elements.
    template <class Take>
    static SAMESUM_INLINE void each(const char* p, std::size_t n, const Take& take) {
        each_run<F, step>(p, n, n, [&](const char* from, std::size_t steps) {
            for (std::size_t i = 0; i < steps; ++i)
                for_each_of<chains>(
                    [&](std::size_t k) { take(k, F::doubles(from + (i * step + k * width) * F::size)); });
        });
    }

    // Elements leave 2^(greatest + bits - 51) at most on the first grid, then 2^(greatest + 2 bits - 103),
    // sums of which are exact. (Lemma 20)
    template <class Mapped>
    static bool sum(const char* p, std::size_t n, OctaveRange range, double* part, const Mapped& mapped) {
        if (range.depth() > 156 - 3 * bits || range.greatest > 1000 || range.greatest < -900) return false;
        GridSum<chains> first(range.greatest + bits + 2), second(range.greatest + 2 * bits - 50);
        Doubles rest[chains] = {};
        each(p, n, [&](std::size_t k, Doubles v) { rest[k] += second.take(k, first.take(k, mapped(v))); });
        part[0] = first.total();
        part[1] = second.total();
        part[2] = total_of((rest[0] + rest[1]) + (rest[2] + rest[3]));
        return true;
    }

    // Squares are two words, the second one below 2^(2 greatest - 51).
    static bool squares(const char* p, std::size_t n, OctaveRange range, double* part) {
        if (range.depth() > 101 - 2 * bits || range.unit < -500 || range.greatest > 500) return false;
        const int top = 2 * range.greatest + bits;
        GridSum<chains> first(top + 3), second(top + bits - 48), third(top + 2 * bits - 98);
        Doubles rest[chains] = {};
        each(p, n, [&](std::size_t k, Doubles v) {
            const Doubles square = v * v, low = square_error(v, square);
            rest[k] += third.take(k, second.take(k, first.take(k, square)));
            rest[k] += third.take(k, second.take(k, low));
        });
        part[0] = first.total();
        part[1] = second.total();
        part[2] = third.total();
        part[3] = total_of((rest[0] + rest[1]) + (rest[2] + rest[3]));
        return true;
    }

    static void take(const char* p, std::size_t n, OctaveRange range, BlockStatistics& found) {
        found.known[0] = sum(p, n, range, found.part[0], [](Doubles v) { return v; });
        found.known[1] =
            sum(p, n, range, found.part[1], [](Doubles v) { return samesum::SAMESUM_ISA::magnitude(v); });
        found.known[2] = squares(p, n, range, found.part[2]);
    }
};

}  // namespace samesum::SAMESUM_ISA
