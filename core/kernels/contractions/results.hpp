// Sums of products become results: times alpha, an addend times beta added, rounded once where the bound
// allows.
#pragma once

#include "kernels/certify/words.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

// alpha (hi + lo) + beta addend in two words. (Lemma 86)
SAMESUM_INLINE Words2 scaled_total(Words2 sum, Doubles addend, double alpha, double beta) {
    constexpr double least = 0x1p-900;
    const Doubles none = {}, a = none + alpha, b = none + beta, p = a * sum.hi, q = b * addend;
    const Doubles p_error = fused(a, sum.hi, -p), q_error = fused(b, addend, -q), low = a * sum.lo;
    Doubles hi, carry;
    two_sum(p, q, hi, carry);
    const Doubles rest = p_error + q_error + low;
    const Doubles sizes = samesum::SAMESUM_ISA::magnitude(p_error) +
                          samesum::SAMESUM_ISA::magnitude(q_error) + samesum::SAMESUM_ISA::magnitude(low);
    const Doubles size_of_p = samesum::SAMESUM_ISA::magnitude(p),
                  size_of_q = samesum::SAMESUM_ISA::magnitude(q);
    Doubles bound = sum.bound * samesum::SAMESUM_ISA::magnitude(a);
    Longs small = ((sum.lo != 0) & (samesum::SAMESUM_ISA::magnitude(low) < least)) |
                  ((sum.bound > 0) & (bound < least));
    bound += sizes > 0 ? (sizes + samesum::SAMESUM_ISA::magnitude(carry)) * 0x1p-50 : none;
    small |= ((sum.hi != 0) & (size_of_p < least)) | ((addend != 0) & (size_of_q < least));
    bound += small ? none + underflow_error : none;
    const Longs overflows = (samesum::SAMESUM_ISA::magnitude(sum.hi) < infinity) &
                            (samesum::SAMESUM_ISA::magnitude(addend) < infinity) &
                            ~(samesum::SAMESUM_ISA::magnitude(hi) < infinity);
    return {overflows ? none : hi + 0.0, overflows ? none : carry + rest,
            overflows ? none + infinity : bound};
}

SAMESUM_INLINE Words2 total_at(const ContractionSums& sums, std::size_t j) {
    const Doubles none = {};
    Words2 total{load<Doubles>(sums.hi + j), sums.lo == nullptr ? none : load<Doubles>(sums.lo + j),
                 load<Doubles>(sums.bounds + j) * sums.factor};
    const bool adds = sums.addends != nullptr;
    if (sums.alpha != 1 || (adds && sums.beta != 1))
        return scaled_total(total, adds ? load<Doubles>(sums.addends + j) : none, sums.alpha,
                            adds ? sums.beta : 0);
    if (!adds) return total;
    Doubles carry, lost;
    two_sum(total.hi, load<Doubles>(sums.addends + j), total.hi, carry);
    two_sum(total.lo, carry, total.lo, lost);
    total.bound += samesum::SAMESUM_ISA::magnitude(lost);
    return total;
}

// A number not below the root of each, and less than 1.07 times that: half of its exponent, and of its
// fraction. (Lemma 85)
SAMESUM_INLINE Doubles root_above(Doubles squares) {
    constexpr std::int64_t half_of_one = std::int64_t{1023} << 51;
    const Longs half = (reinterpret_cast<Longs>(squares) >> 1) + half_of_one;
    return squares == 0 ? Doubles{} : reinterpret_cast<Doubles>(half);
}

// Of sums that are numbers, within a bound: what is certain of them. NaNs are not. (Lemma 5)
template <Format format>
SAMESUM_INLINE Verdict<format> plain_verdict(Doubles value, Doubles bound) {
    using Round = Rounding<format>;
    const Doubles b = widened(bound, value), least = value + 0.0 - b, most = value + 0.0 + b;
    const auto low = Round::of_number(least), high = Round::of_number(most);
    return {low, Round::different(low, high) | narrowed_mask(least != least)};
}

// Most vectors are certain, and finite: the verdict of the others takes longer. What the test itself rounds
// off is covered by a share of the bound, which is at least 16 roundings of the sum, or by some of the total.
// (Lemmas 5, 85)
template <Format format, bool adds>
SAMESUM_INLINE Verdict<format> quick_verdict(const ContractionSums& sums, std::size_t j) {
    using Round = Rounding<format>;
    const Doubles none = {}, bound = load<Doubles>(sums.bounds + j) * sums.factor,
                  hi = load<Doubles>(sums.hi + j);
    const Doubles addend = adds ? load<Doubles>(sums.addends + j) : none, value = adds ? hi + addend : hi;
    const Doubles reach =
        adds ? bound * 1.25 + samesum::SAMESUM_ISA::magnitude(value) * 0x1p-51 : bound * 1.25;
    const auto low = Round::of_number(value - reach);
    const Words wrong =
        Round::different(low, Round::of_number(value + reach)) | narrowed_mask(value != value);
    if (!any_bit(wrong)) return {low, wrong};
    Doubles total = hi, rest = none;
    if constexpr (adds) two_sum(hi, addend, total, rest);
    return IntervalTest<format, Finalize::itself>::of(total, rest, bound, none + 1);
}

inline std::size_t finish_products(const ContractionSums& sums, std::size_t n, Format format, void* out,
                                   std::uint8_t* failed) {
    const bool adds = sums.addends != nullptr, scales = sums.alpha != 1 || (adds && sums.beta != 1);
    return in_float_format(format, [&]<Format f>() -> std::size_t {
        const auto write = [&](const auto& verdict) { return write_verdicts<f>(n, out, failed, verdict); };
        if constexpr (f != Format::f64) {
            if (!sums.in_words && !scales)
                return adds ? write([&](std::size_t j)
                                        SAMESUM_INLINED { return quick_verdict<f, true>(sums, j); })
                            : write([&](std::size_t j)
                                        SAMESUM_INLINED { return quick_verdict<f, false>(sums, j); });
            if (!sums.in_words)
                return write([&](std::size_t j) SAMESUM_INLINED {
                    const Words2 total = total_at(sums, j);
                    return IntervalTest<f, Finalize::itself>::of(total.hi, total.lo, total.bound,
                                                                 Doubles{} + 1);
                });
        }
        return write([&](std::size_t j) SAMESUM_INLINED {
            const Words2 total = total_at(sums, j);
            return WordsTest<f, Finalize::itself>::of(total.hi, total.lo, total.bound, Doubles{} + 1);
        });
    });
}

}  // namespace samesum::SAMESUM_ISA
