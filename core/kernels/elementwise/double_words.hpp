// Arithmetic of double-words, and what functions of one element in double-words have in common. Each
// operation is off by less than 2^-100 of its result, sums by 2^-104 of their terms. (Lemma 66)
#pragma once

#include "kernels/elementwise/elementwise.hpp"
#include "kernels/elementwise/elementwise_functions.hpp"
#include "kernels/exponentials/powers.hpp"

namespace samesum::SAMESUM_ISA {

SAMESUM_INLINE DoubleWord word_of(double hi, double lo = 0) { return {Doubles{} + hi, Doubles{} + lo}; }

SAMESUM_INLINE DoubleWord word_of(Doubles x) { return {x, Doubles{}}; }

SAMESUM_INLINE DoubleWord negative(DoubleWord a) { return {-a.hi, -a.lo}; }

SAMESUM_INLINE DoubleWord word_sum(DoubleWord a, DoubleWord b) {
    Doubles s, e;
    two_sum(a.hi, b.hi, s, e);
    return ordered_sum(s, e + (a.lo + b.lo));
}

SAMESUM_INLINE DoubleWord word_quotient(DoubleWord a, DoubleWord b) {
    const Doubles q = a.hi / b.hi, p = q * b.hi, e = fused(q, b.hi, -p);
    const Doubles rest = ((a.hi - p) - e) + fused(-q, b.lo, a.lo);
    return ordered_sum(q, rest / b.hi);
}

SAMESUM_INLINE DoubleWord chosen(Longs first, DoubleWord a, DoubleWord b) {
    return {first ? a.hi : b.hi, first ? a.lo : b.lo};
}

SAMESUM_INLINE DoubleWord square_of(Doubles x) {
    const Doubles p = x * x;
    return {p, fused(x, x, -p)};
}

// Of functions whose results have the sign of x: that of zeros, too.
SAMESUM_INLINE DoubleWord with_zeros_of(Doubles x, DoubleWord y) {
    const Longs is_zero = y.hi == 0;
    const Doubles zero = with_sign_of(x, Doubles{});
    return {is_zero ? zero : y.hi, is_zero ? zero : y.lo};
}

// a(0) + r a(1) + ... + r^(n-1) a(n-1): `exact` terms in double-words, the rest in doubles.
template <std::size_t exact, std::size_t n>
SAMESUM_INLINE DoubleWord word_polynomial(DoubleWord r, const double (&a)[n], const double (&rest)[n]) {
    const Doubles none = {};
    Doubles tail = none + a[n - 1];
    for (std::size_t k = n - 1; k-- > exact;) tail = fused(tail, r.hi, none + a[k]);
    DoubleWord q = word_of(tail);
    for (std::size_t k = exact; k-- > 0;) q = word_sum(word_of(a[k], rest[k]), product(r, q));
    return q;
}

template <std::size_t n>
SAMESUM_INLINE Doubles rough_polynomial(Doubles r, const double (&a)[n], std::size_t terms = n) {
    const Doubles none = {};
    Doubles q = none + a[terms - 1];
    for (std::size_t k = terms - 1; k-- > 0;) q = roughly_fused(q, r, none + a[k]);
    return q;
}

// Whether an element is NaN, or other than zero and below the least of `format` times 2^octaves: results that
// are near x 2^-octaves are subnormal there.
template <Format format>
SAMESUM_INLINE bool any_tiny_or_nan(Doubles x, int octaves = 0) {
    constexpr int least = format == Format::f16 ? -14 : format == Format::f64 ? -1022 : -126;
    const std::uint64_t limit = static_cast<std::uint64_t>(1023 + least + octaves) << 52;
    const UnsignedLongs size = reinterpret_cast<UnsignedLongs>(magnitude(x));
    const Longs is_tiny = reinterpret_cast<Longs>(size - 1 < limit - 1);
    return any(is_tiny | (x != x));
}

// A number that is within `bound` of the sum of two words.
struct BoundedWord {
    DoubleWord y;
    Doubles bound;
};

// What a function needs besides `quickly`, of one vector, `any_outside` and `precise`, which is good for all
// x, where doubles are within one unit of the last place with the sum of its words. `close(x)` of a function
// that has one gives the magnitude of results that have the sign of x, with a bound that covers the words of
// `precise`, too: where it is certain what they round to, that is it.
template <class Function>
struct WordFunction {
    static constexpr std::size_t several = 1;
    static constexpr bool has_close = false;

    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Doubles (&x)[count], Doubles (&y)[count]) {
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { y[v] = Function::quickly(x[v]); });
    }

    template <std::size_t count>
    static SAMESUM_INLINE DoubleBatch<count> doubles(DoubleBatch<count> x) {
        return DoubleBatch<count>::made([&](std::size_t v) SAMESUM_INLINED {
            if constexpr (Function::has_close) return closely(x.part[v]);
            const DoubleWord y = Function::precise(x.part[v]);
            return y.hi + y.lo;
        });
    }

    static __attribute__((noinline)) Doubles closely(Doubles x) {
        const BoundedWord found = Function::close(x);
        const Doubles least = found.y.hi + (found.y.lo - found.bound),
                      most = found.y.hi + (found.y.lo + found.bound);
        if (__builtin_expect(!any(least != most), true)) return with_sign_of(x, least);
        const DoubleWord y = Function::precise(x);
        return y.hi + y.lo;
    }

    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) {
        const DoubleWord y = Function::precise(x);
        return y.hi + y.lo;
    }

    static SAMESUM_INLINE bool settles(Doubles, Doubles&) { return false; }
};

}  // namespace samesum::SAMESUM_ISA
