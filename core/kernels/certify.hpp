// The rounding test (Ziv): a result is right when every number within the bound rounds to it.
#pragma once

#include "kernels/logarithm.hpp"
#include "kernels/method.hpp"
#include "kernels/rounding.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Wide enough that the rounding of `value - bound` itself cannot hide a boundary; exact values need none.
SAMESUM_INLINE Doubles widened(Doubles bound, Doubles value) {
    const Doubles wide = bound * (1 + 0x1p-20) + samesum::SAMESUM_ISA::magnitude(value) * 0x1p-52 + 0x1p-1070;
    return bound > 0 ? wide : bound;
}

// Totals as arrays: hi[j] + lo[j] is at most bound[j] from the exact one. They are readable in whole vectors.
struct Totals {
    const double *hi, *lo, *bound;
};

struct Interval {
    Doubles value, bound;
};

template <Format format>
SAMESUM_INLINE typename Rounding<format>::Bits chosen(Longs mask, typename Rounding<format>::Bits a,
                                                      typename Rounding<format>::Bits b) {
    if constexpr (format == Format::f64) {
        return mask ? a : b;
    } else {
        const Words narrow = narrowed_mask(mask);
        return (a & narrow) | (b & ~narrow);
    }
}

// The logarithm where there is none of a positive finite number, and where that is certain.
struct LogarithmLimits {
    Doubles value;
    Longs holds;

    static SAMESUM_INLINE LogarithmLimits of(Doubles sum, Doubles bound) {
        const Doubles none = {};
        const Longs zero = (sum == 0) & (bound == 0), negative = sum < -bound;
        return {zero              ? none - infinity
                : sum == infinity ? sum
                                  : none + __builtin_nan(""),
                zero | negative | (sum == infinity)};
    }
};

// What an error of `bound` in the sum makes of its logarithm; infinity if the sum may be much smaller.
SAMESUM_INLINE Doubles logarithm_bound(Doubles sum, Doubles bound) {
    const Doubles none = {};
    return bound < sum * 0x1p-10 ? bound / sum * 1.01 : none + infinity;
}

template <Finalize finalize>
SAMESUM_INLINE Interval finalized(Doubles value, Doubles bound, double count) {
    if constexpr (finalize == Finalize::over_count) {
        const Doubles counts = Doubles{} + count, quotient = value / counts, none = {};
        const Doubles rounding = samesum::SAMESUM_ISA::magnitude(quotient) * 0x1p-53;
        // The remainder is exact, but for quotients so small that every bound covers it.
        const Doubles remainder = fused(-quotient, counts, value);
        return {quotient, bound / counts + (remainder != 0 ? rounding : none)};
    } else if constexpr (finalize == Finalize::root) {
        const Doubles root = square_root(value), zero = {};
        return {root, root > 0 ? bound / root + root * 0x1p-53 : zero};
    } else if constexpr (finalize == Finalize::logarithm) {
        const Doubles zero = {};
        const DoubleWord words = logarithm<50>({value, zero}, {value - 1, zero});
        const Doubles log = words.hi + words.lo, size = samesum::SAMESUM_ISA::magnitude(log);
        const LogarithmLimits limits = LogarithmLimits::of(value, bound);
        return {limits.holds ? limits.value : log,
                limits.holds ? zero : logarithm_bound(value, bound) + size * 0x1p-49};
    } else {
        return {value, bound};
    }
}

// Tells which of the bits are certain, and what they are.
template <Format format>
struct Verdict {
    typename Rounding<format>::Bits bits;
    Words wrong;
};

// For sums that overflow no double, into formats narrower than double: what is not finite is the result.
template <Format format, Finalize finalize>
struct IntervalTest {
    static SAMESUM_INLINE Verdict<format> of(Doubles hi, Doubles lo, Doubles bound, double count) {
        using Round = Rounding<format>;
        const Longs finite = samesum::SAMESUM_ISA::magnitude(hi) < infinity;
        const Doubles sum = (finite ? hi + lo : hi) + 0.0, zero = {};
        const Doubles rounded = lo != 0 ? samesum::SAMESUM_ISA::magnitude(sum) * 0x1p-53 : zero;
        const Interval result = finalized<finalize>(sum, bound + rounded, count);
        const Doubles b = widened(result.bound, result.value);
        const auto low = Round::of(finite ? result.value - b : result.value),
                   high = Round::of(result.value + b);
        const Words doubtful = Round::different(low, high) | ~narrowed_mask(b < infinity);
        return {low, doubtful & narrowed_mask(finite)};
    }
};

// Below and above these a remainder could underflow or overflow.
constexpr double safe_floor = 0x1p-900, safe_ceiling = 0x1p1000;

struct Words2 {
    Doubles hi, lo, bound;
};

// The total finalized, with its bound; a bound of infinity when that cannot be told. A logarithm has `bits`,
// and may be that of the total over 2^scaled.
template <Finalize finalize, int bits>
SAMESUM_INLINE Words2 finalized_words(Words2 total, double count, Doubles scaled) {
    two_sum(total.hi, total.lo, total.hi, total.lo);
    if constexpr (finalize == Finalize::itself) {
        return total;
    } else if constexpr (finalize == Finalize::logarithm) {
        const Doubles none = {};
        Doubles less, error;
        two_sum(total.hi - 1, total.lo, less, error);
        const DoubleWord log = logarithm<bits>({total.hi, total.lo}, {less, error}, scaled);
        const Longs safe = (total.hi > safe_floor) & (total.hi < safe_ceiling);
        const Doubles bound = logarithm_bound(total.hi, total.bound) + 2 * logarithm_error<bits>(log.hi);
        return {log.hi, log.lo, safe ? bound : none + infinity};
    } else {
        constexpr bool mean = finalize == Finalize::over_count;
        const Doubles whole = samesum::SAMESUM_ISA::magnitude(total.hi), none = {};
        const Longs safe =
            (whole > safe_floor) & (whole < safe_ceiling) & (count < 0x1p53 ? Longs{} - 1 : Longs{});
        const Longs zero = (whole == 0) & (total.bound == 0);
        const Doubles counts = none + count;
        const Doubles q = mean ? total.hi / counts : square_root(total.hi);
        const Doubles divisor = mean ? counts : 2 * q;
        Doubles remainder = fused(-q, mean ? counts : q, total.hi), lost;
        two_sum(remainder, total.lo, remainder, lost);
        const Doubles correction = remainder / divisor;
        const Doubles known = total.bound + samesum::SAMESUM_ISA::magnitude(lost);
        const Doubles curvature = mean ? none : correction * correction / q;
        const Doubles size = samesum::SAMESUM_ISA::magnitude(correction) * 0x1p-50;
        const Longs exact = fused(-correction, divisor, remainder) == 0;
        const Doubles rounding = curvature + (mean ? (exact ? none : size) : size);
        const Doubles carried = known / divisor * (1 + 0x1p-20) + 0x1p-1070;  // which may underflow
        const Doubles bound = (known > 0 ? carried : none) + rounding;
        return {zero ? none : q, zero ? none : correction, zero ? none : safe ? bound : none + infinity};
    }
}

template <Format format, Finalize finalize>
struct WordsTest {
    // Most logarithms need less than double-words. (One verdict, or it is copied in parts that the processor
    // has to wait for.)
    static SAMESUM_INLINE Verdict<format> of(Doubles hi, Doubles lo, Doubles bound, double count,
                                             Doubles scaled = Doubles{}) {
        constexpr bool logarithm = finalize == Finalize::logarithm;
        Verdict<format> verdict = with<logarithm ? 67 : 88>(hi, lo, bound, count, scaled);
        if (logarithm && any_bit(verdict.wrong)) verdict = precisely(hi, lo, bound, count, scaled);
        return verdict;
    }

    static __attribute__((noinline)) Verdict<format> precisely(Doubles hi, Doubles lo, Doubles bound,
                                                               double count, Doubles scaled) {
        return with<88>(hi, lo, bound, count, scaled);
    }

    template <int bits>
    static SAMESUM_INLINE Verdict<format> with(Doubles hi, Doubles lo, Doubles bound, double count,
                                               Doubles scaled) {
        using Round = Rounding<format>;
        const Words2 result = finalized_words<finalize, bits>({hi, lo, bound}, count, scaled);
        const Doubles b = widened(result.bound, result.lo);
        const auto low = Round::of(result.hi, result.lo - b), high = Round::of(result.hi, result.lo + b);
        const Longs usable = (samesum::SAMESUM_ISA::magnitude(result.hi) < infinity) & (b < infinity);
        const Words doubtful = Round::different(low, high) | ~narrowed_mask(usable);
        if constexpr (finalize != Finalize::logarithm) return {low, doubtful};
        const LogarithmLimits limits = LogarithmLimits::of(hi + lo, bound * (1 + 0x1p-50));
        const Longs holds = limits.holds & (samesum::SAMESUM_ISA::magnitude(hi) < infinity);
        return {chosen<format>(holds, Round::of(limits.value), low), doubtful & ~narrowed_mask(holds)};
    }
};

// Writes the results and which of them failed, from the verdicts on a vector at a time; returns how many did.
template <Format format, class VerdictAt>
std::size_t write_verdicts(std::size_t n, void* out, std::uint8_t* failed, const VerdictAt& verdict_at) {
    Words any = {};
    for (std::size_t j = 0; j < n; j += width) {
        const Verdict<format> v = verdict_at(j);
        const Bytes flags = __builtin_convertvector(v.wrong & 1, Bytes);
        if (n - j >= width) {
            any |= v.wrong;
            Rounding<format>::store_to(out, j, v.bits);
            store(failed + j, flags);
        } else {
            char last[width * size_of(format)];
            Rounding<format>::store_to(last, 0, v.bits);
            std::memcpy(static_cast<char*>(out) + j * size_of(format), last, (n - j) * size_of(format));
            std::memcpy(failed + j, &flags, n - j);
            any |= v.wrong;
        }
    }
    std::size_t failures = 0;
    for (std::size_t k = 0; k < width; ++k) failures += any[k] != 0;
    if (failures == 0) return 0;
    failures = 0;
    for (std::size_t j = 0; j < n; ++j) failures += failed[j];
    return failures;
}

// Both write the results of `how` and which of them failed, and return how many did. The interval test is for
// sums that overflow no double, into formats narrower than double.
std::size_t certify_interval(const Totals& t, std::size_t n, const Finish& how, void* out,
                             std::uint8_t* failed);
std::size_t certify_words(const Totals& t, std::size_t n, const Finish& how, void* out, std::uint8_t* failed);

// The same for logarithms in float64 of totals that are 2^scaled[j] times too large, readable in whole
// vectors likewise.
std::size_t certify_scaled_logarithms(const Totals& t, const double* scaled, std::size_t n, void* out,
                                      std::uint8_t* failed);

}  // namespace samesum::SAMESUM_ISA
