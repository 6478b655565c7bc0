// Products in double-words that keep no exponents apart, for as long as they stay within a double's range.
#pragma once

#include "kernels/products/plain_products.hpp"

namespace samesum::SAMESUM_ISA {

struct RangedProduct {
    // So many factors stay in range, as a rule.
    static constexpr std::size_t steps = 64;

    PlainProducts words;
    Doubles least;

    // In range already, without its exponent.
    static SAMESUM_INLINE RangedProduct of(const Factors& f) {
        return {{f.hi, f.lo, f.lost}, Doubles{} + infinity};
    }

    SAMESUM_INLINE void take(Doubles x) {
        words.take(x);
        least = lesser_magnitude(least, words.hi);
    }

    // What once was infinite or NaN still is. Down to 2^-900 no error of a product is lost, but parts of low
    // words that are less than 2^-170 of it. (Lemma 26)
    SAMESUM_INLINE Longs is_in_range() const {
        return (least > 0x1p-900) & (samesum::SAMESUM_ISA::magnitude(words.hi) < 0x1p1000);
    }

    SAMESUM_INLINE Factors factors(Longs exponent) const {
        Factors f{words.hi, words.lo, exponent, words.lost};
        f.normalise();
        return f;
    }
};

}  // namespace samesum::SAMESUM_ISA
