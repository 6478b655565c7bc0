// Exact sums of 64-bit terms, up to 2^31 of them: modulo 2^64, and of their high halves, from which those of
// the low halves follow.
#pragma once

#include <type_traits>

#include "kernels/vectors/fold.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, Map map>
struct SplitTotal {
    static_assert(sizeof(Integer) == 8 && (map == Map::itself || map == Map::magnitude));
    static constexpr bool has_sign = map == Map::itself && std::is_signed_v<Integer>;

    UnsignedLongs sum = {};
    Longs high = {};

    SAMESUM_INLINE void take(UnsignedLongs x) {
        if constexpr (map == Map::magnitude && std::is_signed_v<Integer>)
            x = reinterpret_cast<Longs>(x) < 0 ? 0 - x : x;
        sum += x;
        high += has_sign ? reinterpret_cast<Longs>(x) >> 32 : reinterpret_cast<Longs>(x >> 32);
    }

    // The sum of the low halves.
    SAMESUM_INLINE Longs low() const {
        return reinterpret_cast<Longs>(sum - (reinterpret_cast<UnsignedLongs>(high) << 32));
    }

    SAMESUM_INLINE void join(const SplitTotal& other) {
        sum += other.sum;
        high += other.high;
    }

    template <int distance>
    SAMESUM_INLINE SplitTotal paired(const SplitTotal& other) const {
        return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                paired_low<distance>(high, other.high) + paired_high<distance>(high, other.high)};
    }
};

}  // namespace samesum::SAMESUM_ISA
