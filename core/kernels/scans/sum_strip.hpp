// The rounding test of prefix sums of a vector of columns.
#pragma once

#include "kernels/certify/certify.hpp"
#include "kernels/scans/sums.hpp"
#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Prefix sums rounded, and which are in doubt. Where they are `settled`, the high word is the result: an
// infinity or a NaN. (Lemma 33)
template <Format format>
SAMESUM_INLINE Verdict<format> verdict(const Sums& s, Longs settled) {
    using Round = Rounding<format>;
    const Doubles none = {}, known = s.bound * bound_slack;
    if constexpr (format == Format::f64) {
        const Doubles some = s.bound > 0 ? none + 0x1p-52 : none;
        const Doubles most = known + samesum::SAMESUM_ISA::magnitude(s.lo) * some;
        const Doubles low = s.hi + (s.lo - most), high = s.hi + (s.lo + most);
        return {settled ? Round::of(s.hi) : reinterpret_cast<Longs>(low),
                ~narrowed_mask((low == high) | settled)};
    } else {
        const Doubles value = settled ? s.hi : s.hi + s.lo, size = samesum::SAMESUM_ISA::magnitude(value);
        // Unless `known` is zero, too, it has to be seen beside the value.
        const Longs exact = (s.lo == 0) & (known == 0);
        const Doubles some = exact ? none : known + size * 0x1p-51, most = settled ? none : some;
        const auto low = Round::of(value - most);
        const Words doubtful = Round::different(low, Round::of(value + most));
        return {low, doubtful | ~narrowed_mask(most < infinity)};
    }
}

}  // namespace samesum::SAMESUM_ISA
