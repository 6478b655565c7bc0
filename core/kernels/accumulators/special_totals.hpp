// Sums of what is not finite, and whether there is anything but zeros.
#pragma once

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"

namespace samesum::SAMESUM_ISA {

template <bool signs_count>
struct SpecialTotal {
    Doubles total = {};  // of infinities and NaNs: 0 if there are none
    Longs any = {};      // bits of all elements but for signs

    static SAMESUM_INLINE SpecialTotal at(const double* total, const std::int64_t* any) {
        return {load<Doubles>(total), load<Longs>(any)};
    }
    SAMESUM_INLINE void put(double* total_to, std::int64_t* any_to) const {
        store(total_to, total);
        store(any_to, any);
    }

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles magnitude = samesum::SAMESUM_ISA::magnitude(x), none = {};
        total += magnitude < infinity ? none : signs_count ? x : magnitude;
        any |= reinterpret_cast<Longs>(magnitude);
    }
    SAMESUM_INLINE void join(const SpecialTotal& other) {
        total += other.total;
        any |= other.any;
    }
    template <int distance>
    SAMESUM_INLINE SpecialTotal paired(const SpecialTotal& other) const {
        SpecialTotal both{paired_low<distance>(total, other.total), paired_low<distance>(any, other.any)};
        both.join({paired_high<distance>(total, other.total), paired_high<distance>(any, other.any)});
        return both;
    }
};

}  // namespace samesum::SAMESUM_ISA
