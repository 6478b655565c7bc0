// The rounding test (Ziv): a result is right when every number within the bound rounds to it.
#pragma once

#include "kernels/exponentials/logarithm.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// More than all that a few operations on subnormal numbers round off.
constexpr double underflow_error = 0x1p-1070;

// Scratch for the roundings of a bound that up to 2^42 terms were added to.
constexpr double bound_room = 1 + 0x1p-10;

// Wide enough that the rounding of `value - bound` itself cannot hide a boundary; exact values need none.
// (Lemma 5)
SAMESUM_INLINE Doubles widened(Doubles bound, Doubles value) {
    const Doubles wide =
        bound * bound_room + samesum::SAMESUM_ISA::magnitude(value) * 0x1p-52 + underflow_error;
    return bound > 0 ? wide : bound;
}

// Totals as arrays: hi[j] + lo[j] is at most bound[j] from the exact one. They are readable in whole vectors.
struct Totals {
    const double *hi, *lo, *bound;
};

// How many elements a vector of sets has from number j on.
SAMESUM_INLINE Doubles counts_at(const Finish& how, std::size_t j) {
    return how.counts == nullptr ? Doubles{} + static_cast<double>(how.count) : load<Doubles>(how.counts + j);
}

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

// The logarithm of a finite sum that is not positive, where that is certain.
struct LogarithmLimits {
    Doubles value;
    Longs holds;

    static SAMESUM_INLINE LogarithmLimits of(Doubles sum, Doubles bound) {
        const Doubles none = {};
        const Longs zero = (sum == 0) & (bound == 0),
                    negative = (sum < bound * -bound_room) & (sum > -infinity);
        return {zero ? none - infinity : none + __builtin_nan(""), zero | negative};
    }
};

// Below and above these a remainder could underflow or overflow; between them numbers are normal.
constexpr double safe_floor = 0x1p-900, safe_ceiling = 0x1p1000;
// Counts below this are exact.
constexpr double exact_count = 0x1p53;

// What an error of `bound` in a normal sum makes of its logarithm; infinity if the sum may be much smaller.
// (Lemma 9)
SAMESUM_INLINE Doubles logarithm_bound(Doubles sum, Doubles bound) {
    const Doubles none = {}, known = bound / sum * 1.01 + underflow_error;
    return bound < sum * 0x1p-10 ? (bound > 0 ? known : none) : none + infinity;
}

SAMESUM_INLINE Interval finalized_logarithm(Doubles value, Doubles bound) {
    const Doubles none = {};
    const DoubleWord words = logarithm<50>({value, none}, {value - 1, none});
    const Doubles log = words.hi + words.lo, size = samesum::SAMESUM_ISA::magnitude(log);
    const LogarithmLimits limits = LogarithmLimits::of(value, bound);
    const Doubles known = logarithm_bound(value, bound) + size * 0x1p-49;
    const Longs normal = (value > safe_floor) & (value < infinity);
    return {limits.holds ? limits.value : log, limits.holds ? none : normal ? known : none + infinity};
}

// Into formats in which what is below `safe_floor` counts as zero: its remainder need not be exact. (Lemma 7)
template <Finalize finalize>
SAMESUM_INLINE Interval finalized(Doubles value, Doubles bound, Doubles count) {
    const Doubles none = {}, unknown = none + infinity;
    if constexpr (finalize == Finalize::over_count) {
        const Doubles quotient = value / count;
        const Doubles rounding = samesum::SAMESUM_ISA::magnitude(quotient) * 0x1p-53;
        const Doubles remainder = fused(-quotient, count, value);
        const Doubles carried = bound > 0 ? bound / count + underflow_error : bound;
        return {quotient, count < exact_count ? carried + (remainder != 0 ? rounding : none) : unknown};
    } else if constexpr (finalize == Finalize::root) {
        const Doubles root = square_root(value), known = bound / root + root * 0x1p-53;
        const Longs zero = (value == 0) & (bound == 0);
        return {root, root > 0 ? known : zero ? none : unknown};
    } else if constexpr (finalize == Finalize::logarithm) {
        return finalized_logarithm(value, bound);
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

// For sums that overflow no double, into formats narrower than double: what is not finite came from the
// elements. (Lemma 5)
template <Format format, Finalize finalize>
struct IntervalTest {
    // Its logarithm is that of +inf, or NaN.
    static SAMESUM_INLINE Doubles finalized_special(Doubles sum) {
        const Doubles nan = Doubles{} + __builtin_nan("");
        return finalize == Finalize::logarithm ? (sum == infinity ? sum : nan) : sum;
    }

    static SAMESUM_INLINE Verdict<format> of(Doubles hi, Doubles lo, Doubles bound, Doubles count) {
        using Round = Rounding<format>;
        const Longs finite = samesum::SAMESUM_ISA::magnitude(hi) < infinity;
        const Doubles sum = (finite ? hi + lo : hi) + 0.0, zero = {};
        const Doubles rounded = lo != 0 ? samesum::SAMESUM_ISA::magnitude(sum) * 0x1p-53 : zero;
        const Interval result = finalized<finalize>(sum, bound + rounded, count);
        const Doubles b = widened(result.bound, result.value);
        const auto low = Round::of(finite ? result.value - b : finalized_special(sum)),
                   high = Round::of(result.value + b);
        const Words doubtful = Round::different(low, high) | ~narrowed_mask(b < infinity);
        return {low, doubtful & narrowed_mask(finite)};
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

}  // namespace samesum::SAMESUM_ISA
