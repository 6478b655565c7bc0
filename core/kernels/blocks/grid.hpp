// The total of one block, of which nothing is lost but what lies far below its last place: x = q + r, where q
// is a multiple of a unit so coarse that every partial sum of the q is exact (S. M. Rump, T. Ogita, S. Oishi,
// "Accurate floating-point summation, part I", 2008).
#pragma once

#include <type_traits>

#include "kernels/sums/exponent_spread.hpp"
#include "kernels/sums/sum2.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of magnitudes from here on have no grid.
constexpr double grid_limit = 0x1p1000;

// v = q + r exactly by q = (v + shift) - shift, for all v and all sums of v that are not greater than `size`,
// which is below the limit. `V` is double or Doubles. (Lemma 17)
template <class V>
struct GridOf {
    using Bits = std::conditional_t<std::is_same_v<V, double>, std::int64_t, Longs>;
    V shift, rest;  // no r is greater than `rest`

    static SAMESUM_INLINE GridOf over(V size) {
        constexpr int fraction = 52;
        const Bits least = Bits{} + 100, found = __builtin_bit_cast(Bits, size * (1 + 0x1p-40)) >> fraction;
        const Bits field = (found > least ? found : least) + 2;
        return {__builtin_bit_cast(V, field << fraction | std::int64_t{1} << (fraction - 1)),
                __builtin_bit_cast(V, (field - fraction - 1) << fraction)};
    }

    // True if v is on the grid: sums of such numbers are exact as long as they are less than `shift`.
    auto holds(V v) const { return (v + shift) - shift == v; }
};
using Grid = GridOf<double>;

template <class F>
struct BlockTotal {
    static constexpr bool is_double = F::format == Format::f64;
    static constexpr std::size_t chains = 4, step = chains * width;

    // take(chain, place) of all vectors; the last one is filled up with zeros.
    template <class Take>
    static SAMESUM_INLINE void each_place(const char* p, std::size_t n, const Take& take) {
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch_run<step * F::size>(p);
            for (std::size_t k = 0; k < chains; ++k) take(k, p + k * width * F::size);
        }
        for (; i + width <= n; i += width, p += width * F::size) take(0, p);
        if (i == n) return;
        char padded[width * F::size];
        pad<F>(p, n - i, padded);
        take(1, padded);
    }

    // The same with the elements as doubles.
    template <class Take>
    static SAMESUM_INLINE void each_vector(const char* p, std::size_t n, const Take& take) {
        each_place(p, n, [&](std::size_t k, const char* at) { take(k, F::doubles(at)); });
    }

    static SAMESUM_INLINE double folded(const Doubles (&chain)[chains], double shift = 0) {
        const Doubles all =
            ((chain[0] - shift) + (chain[1] - shift)) + ((chain[2] - shift) + (chain[3] - shift));
        double s[width];
        __builtin_memcpy(s, &all, sizeof all);
        for (std::size_t half = width / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) s[k] += s[k + half];
        return s[0];
    }

    // Sums whose leading parts stay on the grid; the remainders of what went into them come back. (Lemma 18)
    struct Level {
        Doubles sum[chains];

        explicit Level(double shift) {
            for (Doubles& each : sum) each = Doubles{} + shift;
        }
        SAMESUM_INLINE Doubles take(std::size_t k, Doubles v) {
            const Doubles moved = sum[k] + v, remainder = v - (moved - sum[k]);
            sum[k] = moved;
            return remainder;
        }
    };

    static SAMESUM_INLINE double size_of_all(const char* p, std::size_t n) {
        Doubles sizes[chains] = {};
        each_vector(p, n, [&](std::size_t k, Doubles v) { sizes[k] += samesum::SAMESUM_ISA::magnitude(v); });
        return folded(sizes);
    }

    static Sum in_words(const char* p, std::size_t n) { return Sum2<F, Map::itself>::total_of(p, n); }

    // Of a narrow format, if the exponents tell that plain sums are exact.
    static bool try_exact(const char* p, std::size_t n, Carry& total) {
        ExponentSpread<F> seen;
        Doubles sums[chains] = {};
        each_place(p, n, [&](std::size_t k, const char* at) {
            const Floats v = F::floats(at);
            seen.take(v);
            sums[k] += widen(v);
        });
        const double size = seen.greatest_of_all() * static_cast<double>(n);
        if (!(size < grid_limit)) return false;
        const Doubles none = {};
        const double shift = Grid::over(size).shift;
        if (!seen.is_on_grid(none + shift, none, n)) return false;
        total.size = size;
        total.shift = shift;
        total.sum.hi = folded(sums);
        return true;
    }

    // But for the sign, which zeros may have.
    static SAMESUM_INLINE bool is_zero(const Longs (&bits)[chains]) {
        return !any_bit(((bits[0] | bits[1]) | (bits[2] | bits[3])) << 1);
    }

    static Carry of(const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        Carry total;
        if constexpr (!is_double) {
            if (try_exact(p, n, total)) return total;
        }
        total.size = size_of_all(p, n);
        if (!(total.size < grid_limit)) {
            total.sum = in_words(p, n);
            return total;
        }
        const Grid coarse = Grid::over(total.size), fine = Grid::over(static_cast<double>(n) * coarse.rest);
        Level first(coarse.shift), second(fine.shift);
        Doubles rest[chains] = {};
        Longs inexact[chains] = {}, lost[chains] = {};
        each_vector(p, n, [&](std::size_t k, Doubles v) {
            Doubles r = first.take(k, v);
            if constexpr (is_double)
                r = second.take(k, r);
            else
                lost[k] |=
                    reinterpret_cast<Longs>((r + fine.shift) - fine.shift) ^ reinterpret_cast<Longs>(r);
            rest[k] += r;
            inexact[k] |= reinterpret_cast<Longs>(r);
        });
        add(total.sum, folded(first.sum, coarse.shift));
        if constexpr (is_double) add(total.sum, folded(second.sum, fine.shift));
        add(total.sum, folded(rest));
        const double least = is_double ? fine.rest : coarse.rest, depth = static_cast<double>(n / step + 16);
        if (is_zero(inexact))
            total.shift = is_double ? 0 : coarse.shift;
        else if (is_double || !is_zero(lost))
            total.sum.bound += static_cast<double>(n) * least * depth * (unit_roundoff * bound_slack);
        return total;
    }
};

}  // namespace samesum::SAMESUM_ISA
