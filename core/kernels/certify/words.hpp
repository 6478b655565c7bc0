// The rounding test of totals in double-words, which may overflow a double and be rounded to one.
#pragma once

#include "kernels/certify/certify.hpp"

namespace samesum::SAMESUM_ISA {

struct Words2 {
    Doubles hi, lo, bound;
};

// q + correction for the mean or the root of a normalised total. A remainder is one of its words less the
// square of q or its multiple, and exact; a bound covers a root where it is little beside the total, which
// makes the error of the root at most 1 + 2^-21 times the first term of its series. (Lemma 8)
template <Finalize finalize>
SAMESUM_INLINE Words2 quotient_or_root(Words2 total, Doubles count) {
    constexpr bool mean = finalize == Finalize::over_count;
    const Doubles whole = samesum::SAMESUM_ISA::magnitude(total.hi), none = {};
    const Longs zero = (whole == 0) & (total.bound == 0);
    const Doubles q = mean ? total.hi / count : square_root(total.hi);
    const Doubles divisor = mean ? count : 2 * q;
    Doubles remainder = fused(-q, mean ? count : q, total.hi), lost;
    two_sum(remainder, total.lo, remainder, lost);
    const Doubles correction = remainder / divisor;
    const Doubles known = total.bound + samesum::SAMESUM_ISA::magnitude(lost);
    // The second term of the root's series is less than 2^-52 of the first.
    const Doubles size = samesum::SAMESUM_ISA::magnitude(correction) * 0x1p-50 + underflow_error;
    const Longs exact = mean ? fused(-correction, divisor, remainder) == 0 : remainder == 0;
    const Doubles carried = known / divisor * (1 + 0x1p-20) + underflow_error;
    const Doubles bound = (known > 0 ? carried : none) + (exact ? none : size);
    Longs safe = (whole > safe_floor) & (whole < safe_ceiling) & (count < exact_count);
    if constexpr (!mean) safe &= known < whole * 0x1p-21;
    return {zero ? none : q, zero ? none : correction, zero ? none : safe ? bound : none + infinity};
}

// The total finalized, with its bound; a bound of infinity when that cannot be told. A logarithm has `bits`.
template <Finalize finalize, int bits>
SAMESUM_INLINE Words2 finalized_words(Words2 total, Doubles count) {
    two_sum(total.hi, total.lo, total.hi, total.lo);
    if constexpr (finalize == Finalize::itself) {
        return total;
    } else if constexpr (finalize == Finalize::logarithm) {
        const Doubles none = {};
        Doubles less, error;
        two_sum(total.hi - 1, total.lo, less, error);
        const DoubleWord log = logarithm<bits>({total.hi, total.lo}, {less, error});
        const Longs safe = (total.hi > safe_floor) & (total.hi < safe_ceiling);
        const Doubles own = 2 * logarithm_error<bits>(log.hi) + underflow_error;
        const Doubles bound = logarithm_bound(total.hi, total.bound) + (log.hi != 0 ? own : none);
        return {log.hi, log.lo, safe ? bound : none + infinity};
    } else {
        return quotient_or_root<finalize>(total, count);
    }
}

template <Format format, Finalize finalize>
struct WordsTest {
    // Most logarithms need less than double-words. (One verdict, or it is copied in parts that the processor
    // has to wait for.)
    // (Lemma 6)
    static SAMESUM_INLINE Verdict<format> of(Doubles hi, Doubles lo, Doubles bound, Doubles count) {
        constexpr bool logarithm = finalize == Finalize::logarithm;
        constexpr int first_bits = logarithm ? 67 : 88;
        Verdict<format> verdict = with<first_bits>(hi, lo, bound, count);
        if (logarithm && any_bit(verdict.wrong)) verdict = precisely(hi, lo, bound, count);
        return verdict;
    }

    static __attribute__((noinline)) Verdict<format> precisely(Doubles hi, Doubles lo, Doubles bound,
                                                               Doubles count) {
        return with<88>(hi, lo, bound, count);
    }

    template <int bits>
    static SAMESUM_INLINE Verdict<format> with(Doubles hi, Doubles lo, Doubles bound, Doubles count) {
        using Round = Rounding<format>;
        const Words2 result = finalized_words<finalize, bits>({hi, lo, bound}, count);
        const Doubles b = widened(result.bound, result.lo);
        const auto low = Round::of(result.hi, result.lo - b), high = Round::of(result.hi, result.lo + b);
        const Longs usable = (samesum::SAMESUM_ISA::magnitude(result.hi) < infinity) & (b < infinity);
        const Words doubtful = Round::different(low, high) | ~narrowed_mask(usable);
        if constexpr (finalize != Finalize::logarithm) return {low, doubtful};
        const LogarithmLimits limits = LogarithmLimits::of(hi + lo, bound);
        return {chosen<format>(limits.holds, Round::of(limits.value), low),
                doubtful & ~narrowed_mask(limits.holds)};
    }
};

}  // namespace samesum::SAMESUM_ISA
