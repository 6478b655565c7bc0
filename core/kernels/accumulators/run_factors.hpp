// Products of runs in lanes: what is quick for as long as the elements let it.
#pragma once

#include "kernels/accumulators/factors.hpp"

namespace samesum::SAMESUM_ISA {

// Without exponents apart, for as long as the products stay within a double's range.
struct RangedFactors {
    // So many factors do, as a rule.
    static constexpr std::size_t steps = 64;

    Factors words = {};  // in range, as long as nothing was taken
    Doubles least = Doubles{} + infinity;
    Longs outside = {};
    bool is_joined = false;

    SAMESUM_INLINE void take(Doubles x) {
        words.multiply(x);
        least = lesser_magnitude(least, words.hi);
    }

    // What once was infinite or NaN still is. Down to 2^-900 no error of a product is lost, but parts of low
    // words that are less than 2^-170 of it. (Lemma 26)
    SAMESUM_INLINE Longs is_in_range() const {
        return (least > 0x1p-900) & (samesum::SAMESUM_ISA::magnitude(words.hi) < 0x1p1000);
    }

    SAMESUM_INLINE void normalise() {
        outside |= ~is_in_range();
        least = Doubles{} + infinity;
        words.normalise();
    }

    // What joined others before is near one still.
    SAMESUM_INLINE void join(RangedFactors other) {
        if (!is_joined) {
            normalise();
            other.normalise();
        }
        outside |= other.outside;
        words.multiply_loosely(other.words);
        is_joined = true;
    }
};

// With the exponents apart, of ordinary numbers; others leave a negative `odd`. The bias of all exponents is
// the caller's to take off.
struct OrdinaryFactors {
    Factors words = {};
    Longs odd = {};

    SAMESUM_INLINE void take(Doubles x) {
        const Longs field = exponent_field(x);
        odd |= is_odd(field);
        words.exponent += field;
        words.multiply(significand_of(x));
    }
    SAMESUM_INLINE void join(OrdinaryFactors other) {
        words.normalise();
        other.words.normalise();
        odd |= other.odd;
        words.multiply_loosely(other.words);
    }
};

// Of elements of any kind; what has no significand of its own counts as one, with its sign.
struct AnyFactors {
    // Until it is normalised: products stay far below the largest double.
    static constexpr std::size_t steps = 256;

    Factors words = {};
    Longs marks = {};

    SAMESUM_INLINE void take(Doubles x) { multiply_any(words, marks, x); }
};

// What double-words have besides their first words, and plain doubles have not.
template <bool is_double>
struct LowWords {};
template <>
struct LowWords<true> {
    Doubles lo = {};
    Longs lost = {};
};

// The product of a row of few elements: plain doubles for the narrow formats, double-words for float64.
template <bool is_double>
struct FewProduct : LowWords<is_double> {
    Doubles hi = Doubles{} + 1;

    template <int distance>
    SAMESUM_INLINE FewProduct paired(const FewProduct& other) const {
        const Doubles a = paired_low<distance>(hi, other.hi), b = paired_high<distance>(hi, other.hi);
        FewProduct both;
        both.hi = a * b;
        if constexpr (is_double) {
            const Doubles c = paired_low<distance>(this->lo, other.lo),
                          d = paired_high<distance>(this->lo, other.lo);
            both.lost = paired_low<distance>(this->lost, other.lost) |
                        paired_high<distance>(this->lost, other.lost) | reinterpret_cast<Longs>(c) |
                        reinterpret_cast<Longs>(d);
            both.lo = fused(a, d, fused(c, b, fused(a, b, -both.hi)));
        }
        return both;
    }

    SAMESUM_INLINE Factors factors() const {
        Factors all{hi, Doubles{}, Longs{}, ~Longs{}};
        if constexpr (is_double) all.lo = this->lo, all.lost = this->lost;
        all.normalise();
        return all;
    }

    // What is lost of n factors, relatively: in double-words the low word is at most n * 2^-53 of the product
    // and is rounded at each step, and that of two lanes leaves out the product of their low words.
    // (Lemma 26)
    static double loss(std::size_t n) {
        const double factors = static_cast<double>(n + width);
        return is_double ? factors * factors * 0x1p-104 : factors * 0x1p-53;
    }
};

// In a lane. Nothing is lost to the range of a double while no product is less than 2^-900 or infinite, nor
// when lanes between 2^-100 and 2^100 are folded.
template <bool is_double>
struct FewFactors : FewProduct<is_double> {
    // Few enough for all lanes to stay there, as a rule.
    static constexpr std::size_t most = 64 * width;

    Doubles least = Doubles{} + infinity;

    static SAMESUM_INLINE FewFactors of(Doubles x) {
        FewFactors all;
        all.hi = x;
        return all;
    }

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles product = this->hi * x;
        if constexpr (is_double) {
            this->lost |= reinterpret_cast<Longs>(this->lo);
            this->lo = fused(this->lo, x, fused(this->hi, x, -product));
        }
        this->hi = product;
        least = lesser_magnitude(least, product);
    }
};

// The lanes of some rows, and whether they stayed in range.
struct FewRange {
    Doubles least = Doubles{} + infinity, smallest = least, greatest = {};

    template <bool is_double>
    SAMESUM_INLINE void see(const FewFactors<is_double>& row) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(row.hi);
        least = lesser(least, row.least);
        smallest = lesser(smallest, size);
        greatest = samesum::SAMESUM_ISA::greater(greatest, size);
    }
    // A NaN may have been passed over, but not in the product that the rows are folded to.
    template <bool is_double>
    SAMESUM_INLINE bool holds(const FewProduct<is_double>& folded) const {
        const Longs inside =
            (least >= 0x1p-900) & (smallest >= 0x1p-100) & (greatest <= 0x1p100) & (folded.hi == folded.hi);
        return !any(~inside);
    }
};

}  // namespace samesum::SAMESUM_ISA
