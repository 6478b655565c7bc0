// The rounding test for logarithms of sums of exponentials.
#pragma once

#include "kernels/certify/certify.hpp"

namespace samesum::SAMESUM_ISA {

// top + log(equal + sum + rest), where the sum is of e^(x - top) over the elements below top: at most `bound`
// from what it stands for, and not negative.
struct Exponentials {
    Doubles top, equal, sum, rest, bound;
};

// The exact result is not below top, where the interval may go on. (Lemma 10)
template <Format format, int bits>
SAMESUM_INLINE Verdict<format> verdict(const Exponentials& s) {
    using Round = Rounding<format>;
    const Doubles none = {};
    Doubles size, error, value, low;
    two_sum(s.equal, s.sum, size, error);
    const DoubleWord total = ordered_sum(size, error + s.rest);
    const DoubleWord result = logarithm<bits>(total, ordered_sum(s.sum, s.rest));
    two_sum(s.top, result.hi, value, low);
    low += result.lo;
    const Doubles rounding =
        2 * logarithm_error<bits>(result.hi) + samesum::SAMESUM_ISA::magnitude(low) * 0x1p-52;
    const Doubles bound = widened(s.bound / total.hi * 1.01 + rounding, low);
    const Longs beyond = (value - s.top) + (low - bound) < 0;
    const auto least = Round::of((beyond ? s.top : value) + 0.0, beyond ? none : low - bound),
               greatest = Round::of(value, low + bound);
    const Longs finite = samesum::SAMESUM_ISA::magnitude(s.top) < infinity;
    const Longs usable = (s.bound < total.hi * 0x1p-10) & (s.equal < exact_count);
    const Words doubtful = Round::different(least, greatest) | ~narrowed_mask(usable);
    return {chosen<format>(finite, least, Round::of(s.top)), doubtful & narrowed_mask(finite)};
}

template <Format format>
__attribute__((noinline)) Verdict<format> precise_verdict(const Exponentials& s) {
    return verdict<format, 88>(s);
}

// The numbers of Exponentials side by side, readable in whole vectors.
struct ExponentialRows {
    const double *top, *equal, *sum, *rest, *bound;

    SAMESUM_INLINE Exponentials at(std::size_t j) const {
        return {load<Doubles>(top + j), load<Doubles>(equal + j), load<Doubles>(sum + j),
                load<Doubles>(rest + j), load<Doubles>(bound + j)};
    }
};

// Writes the n results from the states on a vector at a time, and which of them failed; returns how many. Of
// logarithms in double-words most need less of them.
template <int bits>
SAMESUM_APART std::size_t certify_exponentials(const ExponentialRows& states, std::size_t n, Format format,
                                               void* out, std::uint8_t* failed) {
    constexpr int first_bits = bits == 88 ? 67 : bits;
    return in_float_format(format, [&]<Format to>() {
        return write_verdicts<to>(n, out, failed, [&](std::size_t j) {
            const Exponentials s = states.at(j);
            Verdict<to> result = verdict<to, first_bits>(s);
            if (bits == 88 && any_bit(result.wrong)) result = precise_verdict<to>(s);
            return result;
        });
    });
}

}  // namespace samesum::SAMESUM_ISA
