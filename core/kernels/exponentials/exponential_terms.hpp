// The terms of a sum of exponentials, against the greatest element, and sums of them against another.
#pragma once

#include "kernels/certify/certify_logarithms.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

// Exponentials in doubles, or of float64 in double-words: `wide`.
template <class F>
struct ExponentialTerms {
    static constexpr bool wide = F::format == Format::f64;
    using Element = std::conditional_t<wide, Doubles, Floats>;
    using Mask = std::conditional_t<wide, Longs, Ints>;

    // What a term loses, relatively. In doubles x - top is rounded, which 690 magnifies, unless all elements
    // are multiples of 2^-24 below 2^17. (Lemma 40)
    static constexpr double term_error = wide ? 0x1p-68 : F::format == Format::f16 ? 0x1p-51 : 0x1.7p-44;
    // What exponentials that count as zero lose.
    static constexpr double vanished = 0x1p-995;

    // As loops load them.
    static constexpr std::size_t elements = width, size = F::size;
    static SAMESUM_INLINE Element all(const char* p) { return element(p); }
    static SAMESUM_INLINE Element first(const char* p, std::size_t n) { return element(p, n); }

    static SAMESUM_INLINE Element element(const char* p) {
        if constexpr (wide)
            return F::doubles(p);
        else
            return F::floats(p);
    }

    static SAMESUM_INLINE Element element(const char* p, std::size_t n) {
        if (n >= width) return element(p);
        char padded[width * F::size];
        pad<F>(p, n, padded);
        Element x = element(padded);
        for (std::size_t k = n; k < width; ++k) x[k] = -__builtin_huge_valf();
        return x;
    }

    static SAMESUM_INLINE Doubles wide_element(Element x) {
        if constexpr (wide)
            return x;
        else
            return widen(x);
    }

    // The greatest element of each column; NaN where there was one.
    struct Greatest {
        Element best = Element{} - __builtin_huge_valf();
        Mask nan = {};

        SAMESUM_INLINE void take(Element x) {
            best = best > x ? best : x;
            nan |= x != x;
        }
        SAMESUM_INLINE void join(const Greatest& other) {
            best = best > other.best ? best : other.best;
            nan |= other.nan;
        }
        SAMESUM_INLINE Doubles doubles() const {
            return wide_element(nan ? Element{} + __builtin_nanf("") : best);
        }
    };

    // Terms of one block.
    struct Terms {
        Doubles equal = {}, sum = {}, rest = {};

        SAMESUM_INLINE void take(Doubles x, Doubles top) {
            const Doubles none = {};
            const Longs at_top = x == top;
            equal += at_top ? none + 1 : none;
            if constexpr (wide) {
                Doubles d, error;
                two_sum(x, -top, d, error);
                const DoubleWord term = exponential<68>(d, error);
                two_sum(sum, at_top ? none : term.hi, sum, error);
                rest += error + (at_top ? none : term.lo);
            } else {
                sum += at_top ? none : exponential(x - top);
            }
        }
        SAMESUM_INLINE void take(const Terms& other) {
            Doubles error = {};
            equal += other.equal;
            if constexpr (wide)
                two_sum(sum, other.sum, sum, error);
            else
                sum += other.sum;
            rest += other.rest + error;
        }
    };

    // Terms against a top that is not finite are not looked at, but for -inf, where there are none.
    static SAMESUM_INLINE Doubles usable(Doubles top) {
        return samesum::SAMESUM_ISA::magnitude(top) < infinity ? top : Doubles{};
    }

    // What `terms` are off by, if none went through more than `depth` additions: in double-words the low
    // words' own roundings are far below the terms' errors.
    static SAMESUM_INLINE Doubles bound_of(const Terms& terms, double depth, Doubles lost) {
        const double relative = wide ? 2 * term_error : term_error + depth * 0x1p-53;
        return terms.sum * (relative * 1.01) + lost * vanished;
    }

    // Beside such a top, what counts as zero is too little to be told.
    static SAMESUM_INLINE bool may_count_all(Doubles top) {
        return !any(samesum::SAMESUM_ISA::magnitude(top) < 0x1p-500);
    }

    // One for each element whose exponential is not zero but counts as that.
    static SAMESUM_INLINE Doubles vanishing(Doubles x, Doubles top) {
        const Doubles none = {};
        return (x - top < least_power) & (x > -infinity) ? none + 1 : none;
    }

    static SAMESUM_INLINE Exponentials add(const Exponentials& a, const Exponentials& b) {
        Exponentials s{a.top, a.equal + b.equal, a.sum + b.sum, a.rest, a.bound + b.bound};
        if constexpr (wide) {
            Doubles error;
            two_sum(a.sum, b.sum, s.sum, error);
            s.rest = (a.rest + b.rest) + error;
            s.bound += (samesum::SAMESUM_ISA::magnitude(a.rest) + samesum::SAMESUM_ISA::magnitude(b.rest) +
                        samesum::SAMESUM_ISA::magnitude(error)) *
                       0x1p-52;
        } else {
            s.bound += s.sum * 0x1p-53;
        }
        return s;
    }

    // The same against a top that is not less.
    static SAMESUM_INLINE Exponentials against(Doubles top, const Exponentials& s) {
        const Doubles none = {};
        const Longs moves = (s.top < top) & (s.top > -infinity) & (top < infinity);
        if (!any(moves)) return {top, s.equal, s.sum, s.rest, s.bound};
        Doubles sum, rest = none, d, error, size;
        if constexpr (wide) {
            two_sum(s.top, -top, d, error);
            const DoubleWord scale = exponential<68>(d, error);
            two_sum(s.equal, s.sum, size, error);
            const DoubleWord moved = product(ordered_sum(size, error + s.rest), scale);
            sum = moved.hi;
            rest = moved.lo;
            size = scale.hi;
        } else {
            size = exponential(s.top - top);
            sum = (s.equal + s.sum) * size;
        }
        const Doubles counted = s.equal < exact_count ? none : none + infinity;
        const Doubles bound = (s.bound * size + sum * (wide ? 2 * term_error : term_error + 0x1p-52)) * 1.01 +
                              (s.equal + s.sum) * (2 * vanished) + counted;
        return {top, moves ? none : s.equal, moves ? sum : s.sum, moves ? rest : s.rest,
                moves ? bound : s.bound};
    }

    static SAMESUM_INLINE Doubles greater(Doubles a, Doubles b) {
        const Doubles best = a > b ? a : b;
        return a == a ? best : a;
    }
};

}  // namespace samesum::SAMESUM_ISA
