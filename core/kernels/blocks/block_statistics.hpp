// The figures of one block of floats. Its classes are counted in integers. Its sums are exact on grids
// (kernels/blocks/grid.hpp) whose units follow from the greatest magnitude.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/statistics.hpp"

namespace samesum::SAMESUM_ISA {

// The bits of the elements, seen once.
template <class Bits>
struct SeenBits {
    using Signed = std::make_signed_t<Bits>;
    static constexpr int sign_place = static_cast<int>(8 * sizeof(Bits)) - 1;
    static constexpr Bits magnitude_mask = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);

    Bits greatest = 0;                         // magnitude
    Bits least = static_cast<Bits>(~Bits{0});  // magnitude of those that are not zero, less one
    Bits zeros = 0;
    Signed low = static_cast<Signed>(magnitude_mask), high = static_cast<Signed>(~magnitude_mask);

    static SAMESUM_INLINE Bits magnitude(Bits bits) { return static_cast<Bits>(bits & magnitude_mask); }
    static SAMESUM_INLINE Signed key(Bits bits) {
        const Signed value = static_cast<Signed>(bits);
        return static_cast<Signed>(value ^ ((value >> sign_place) & static_cast<Signed>(magnitude_mask)));
    }

    static SeenBits of(const Bits* x, std::size_t n) {
        SeenBits seen;
        for (std::size_t i = 0; i < n; ++i) {
            const Bits size = magnitude(x[i]), below = static_cast<Bits>(size - 1);
            const Signed place = key(x[i]);
            seen.greatest = std::max(seen.greatest, size);
            seen.least = std::min(seen.least, below);
            seen.zeros = static_cast<Bits>(seen.zeros + (size == 0));
            seen.low = std::min(seen.low, place);
            seen.high = std::max(seen.high, place);
        }
        return seen;
    }
};

// 2^exponent of a normal double.
SAMESUM_INLINE double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Sums on a grid of unit 2^(top - 52): exact while they stay below 2^(top - 1).
struct GridSum {
    static constexpr std::size_t chains = 4;
    Doubles sum[chains];
    double shift;

    explicit GridSum(int top) : shift(1.5 * power_of_two(top)) {
        for (Doubles& each : sum) each = Doubles{} + shift;
    }
    // What is left of v.
    SAMESUM_INLINE Doubles take(std::size_t k, Doubles v) {
        const Doubles moved = sum[k] + v, rest = v - (moved - sum[k]);
        sum[k] = moved;
        return rest;
    }
    double total() const;
};

struct PlainSum {
    Doubles sum[GridSum::chains] = {};
    SAMESUM_INLINE void take(std::size_t k, Doubles v) { sum[k] += v; }
    double total(double shift = 0) const {
        const Doubles all = ((sum[0] - shift) + (sum[1] - shift)) + ((sum[2] - shift) + (sum[3] - shift));
        double total = 0;
        for (std::size_t k = 0; k < width; ++k) total += all[k];
        return total;
    }
    // Sums that are multiples of one unit and together below 2^53 times as many of it as fit into a double.
    void total_in_two(double& high, double& low) const {
        high = low = 0;
        for (const Doubles& each : sum) {
            for (std::size_t k = 0; k < width; ++k) {
                double error;
                two_sum(high, each[k], high, error);
                low += error;
            }
        }
    }
};

inline double GridSum::total() const {
    PlainSum plain;
    for (std::size_t k = 0; k < chains; ++k) plain.sum[k] = sum[k];
    return plain.total(shift);
}

template <class F>
struct StatisticsOf {
    using Bits = std::conditional_t<F::size == 2, std::uint16_t,
                                    std::conditional_t<F::size == 4, std::uint32_t, std::uint64_t>>;
    using Seen = SeenBits<Bits>;
    static constexpr FloatTraits traits = traits_of(F::format);
    static constexpr int fraction_bits = traits.precision - 1;
    static constexpr Bits infinity = static_cast<Bits>(infinity_bits(F::format));
    static constexpr Bits least_normal = static_cast<Bits>(Bits{1} << fraction_bits);

    // Every element is a multiple of 2^unit and below 2^(greatest + 1).
    struct Range {
        int greatest, unit;
        int depth() const { return greatest - unit; }
    };

    // A magnitude lies in [2^e, 2^(e + 1)), or below the least normal number, whose exponent it then has.
    static int exponent_of(Bits magnitude) {
        const int field = static_cast<int>(magnitude >> fraction_bits);
        return std::max(field, 1) - 1 + traits.min_exponent;
    }

    template <class Take>
    static SAMESUM_INLINE void each(const char* p, std::size_t n, const Take& take) {
        constexpr std::size_t step = GridSum::chains * width;
        std::size_t i = 0;
        for (; i + step <= n; i += step)
            for_each_of<GridSum::chains>(
                [&](std::size_t k) { take(k, F::doubles(p + (i + k * width) * F::size)); });
        for (; i + width <= n; i += width) take(0, F::doubles(p + i * F::size));
        if (i == n) return;
        char padded[width * F::size];
        pad<F>(p + i * F::size, n - i, padded);
        take(0, F::doubles(padded));
    }

    // Up to 2^12 narrow floats: sums are below 2^(greatest + 13), those of squares below 2^(2 greatest + 14),
    // of which 2^(2 greatest - 38) stays at most for each element. All that is left is a sum of few
    // multiples. (Lemma 20)
    static void narrow_sums(const char* p, std::size_t n, Range range, BlockStatistics& found) {
        if (range.depth() > 39) return;
        if (2 * range.depth() + 2 + place_bits <= 53) return close_sums(p, n, found);
        PlainSum itself, size, rest;
        GridSum square(2 * range.greatest + 15);
        each(p, n, [&](std::size_t k, Doubles v) {
            itself.take(k, v);
            size.take(k, samesum::SAMESUM_ISA::magnitude(v));
            rest.take(k, square.take(k, v * v));
        });
        found.part[0][0] = itself.total();
        found.part[1][0] = size.total();
        found.part[2][0] = square.total();
        found.part[2][1] = rest.total();
        for (bool& known : found.known) known = true;
    }

    // Squares of a block that are added in one place of a chain's vector: fewer than 2^place_bits.
    static constexpr int place_bits = width == 8 ? 8 : width == 4 ? 9 : 10;

    // Of magnitudes so close together that the sum of the squares in each place is exact: they are multiples
    // of 2^(2 unit) below 2^(2 greatest + 2).
    static void close_sums(const char* p, std::size_t n, BlockStatistics& found) {
        PlainSum itself, size, square;
        each(p, n, [&](std::size_t k, Doubles v) {
            itself.take(k, v);
            size.take(k, samesum::SAMESUM_ISA::magnitude(v));
            square.take(k, v * v);
        });
        found.part[0][0] = itself.total();
        found.part[1][0] = size.total();
        square.total_in_two(found.part[2][0], found.part[2][1]);
        for (bool& known : found.known) known = true;
    }

    // Doubles leave 2^(greatest - 40) at most for each element, then 2^(greatest - 81), sums of which are
    // exact. (Lemma 20)
    template <class Mapped>
    static bool wide_sum(const char* p, std::size_t n, Range range, double (&part)[4], const Mapped& mapped) {
        if (range.depth() > 123 || range.greatest > 1000 || range.greatest < -900) return false;
        GridSum first(range.greatest + 13), second(range.greatest - 28);
        PlainSum rest;
        each(p, n, [&](std::size_t k, Doubles v) { rest.take(k, second.take(k, first.take(k, mapped(v)))); });
        part[0] = first.total();
        part[1] = second.total();
        part[2] = rest.total();
        return true;
    }

    // Squares are two words, the second one below 2^(2 greatest - 51).
    static bool wide_squares(const char* p, std::size_t n, Range range, double (&part)[4]) {
        if (range.depth() > 79 || range.unit < -537 || range.greatest > 500) return false;
        const int top = 2 * range.greatest;
        GridSum first(top + 14), second(top - 26), third(top - 65);
        PlainSum rest;
        each(p, n, [&](std::size_t k, Doubles v) {
            const Doubles square = v * v, low = fused(v, v, -square);
            rest.take(k, third.take(k, second.take(k, first.take(k, square))));
            rest.take(k, third.take(k, second.take(k, low)));
        });
        part[0] = first.total();
        part[1] = second.total();
        part[2] = third.total();
        part[3] = rest.total();
        return true;
    }

    static void sums(const char* p, std::size_t n, Range range, BlockStatistics& found) {
        if constexpr (F::format == Format::f64) {
            found.known[0] = wide_sum(p, n, range, found.part[0], [](Doubles v) { return v; });
            found.known[1] = wide_sum(p, n, range, found.part[1],
                                      [](Doubles v) { return samesum::SAMESUM_ISA::magnitude(v); });
            found.known[2] = wide_squares(p, n, range, found.part[2]);
        } else {
            narrow_sums(p, n, range, found);
        }
    }

    // Counts what is not finite and leaves zeros in its place.
    static void clean(const Bits* x, std::size_t n, Bits* to, BlockStatistics& found) {
        for (std::size_t i = 0; i < n; ++i) {
            const Bits size = Seen::magnitude(x[i]);
            const bool negative = x[i] != size;
            found.nans += size > infinity;
            found.positive_infinities += size == infinity && !negative;
            found.negative_infinities += size == infinity && negative;
            to[i] = size < infinity ? x[i] : Bits{0};
        }
    }

    // Zeros in place of what is not finite count for nothing.
    static void add_extremes(const Bits* x, std::size_t n, const Seen& seen, BlockStatistics& found) {
        if (found.finite == x) {
            found.least = seen.low;
            found.greatest = seen.high;
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (Seen::magnitude(x[i]) >= infinity) continue;
            found.least = std::min<std::int64_t>(found.least, Seen::key(x[i]));
            found.greatest = std::max<std::int64_t>(found.greatest, Seen::key(x[i]));
        }
    }

    static std::int64_t subnormals(const Bits* x, std::size_t n) {
        Bits count = 0;
        for (std::size_t i = 0; i < n; ++i)
            count =
                static_cast<Bits>(count + (static_cast<Bits>(Seen::magnitude(x[i]) - 1) < least_normal - 1));
        return static_cast<std::int64_t>(count);
    }

    static void of(const void* from, std::size_t n, void* scratch, BlockStatistics& found) {
        const Bits* x = static_cast<const Bits*>(from);
        Seen seen = Seen::of(x, n);
        found.zeros = static_cast<std::int64_t>(seen.zeros);
        if (seen.greatest >= infinity) {
            clean(x, n, static_cast<Bits*>(scratch), found);
            x = static_cast<const Bits*>(scratch);
            seen = Seen::of(x, n);
        }
        found.finite = x;
        for (bool& known : found.known) known = seen.greatest == 0;
        add_extremes(static_cast<const Bits*>(from), n, seen, found);
        if (seen.greatest == 0) return;
        if (seen.least < least_normal - 1) found.subnormals = subnormals(x, n);
        const Bits smallest = static_cast<Bits>(seen.least + 1);
        found.smallest = static_cast<std::int64_t>(smallest);
        sums(reinterpret_cast<const char*>(x), n,
             {exponent_of(seen.greatest), exponent_of(smallest) - fraction_bits}, found);
    }
};

}  // namespace samesum::SAMESUM_ISA
