// Exact totals of runs of bytes, by the instructions that add bytes, or products of 16-bit pairs, into wider
// words.
#pragma once

#include <type_traits>

#include "kernels/accumulators/wrapping_sum.hpp"
#include "kernels/vectors/octets.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of n <= block_elements bytes. A run is taken in vectors of unsigned bytes, of which the last is filled up.
template <class Integer, Map map>
struct ByteTotal {
    static_assert(sizeof(Integer) == 1);
    static constexpr bool flips = std::is_signed_v<Integer> && map == Map::itself;

    // 32 bits are enough for the squares of `block_elements` bytes.
    using Sums = std::conditional_t<map == Map::square, Quads, UnsignedLongs>;
    static_assert(block_elements * 255 * 255 <= UINT32_MAX);

    Sums sums = {};

    SAMESUM_INLINE void take(Octets x) {
        if constexpr (flips) x ^= 0x80;
        if constexpr (std::is_signed_v<Integer> && map != Map::itself) x = x < -x ? x : -x;
        if constexpr (map == Map::square) {
            const Pairs pairs = reinterpret_cast<Pairs>(x);
            sums += sums_of_two_squares(pairs & 0xff) + sums_of_two_squares(pairs >> 8);
        } else {
            sums += sums_of_eight(x);
        }
    }
    SAMESUM_INLINE void join(const ByteTotal& other) { sums += other.sums; }

    // Sums that add up to the total, but for the correction.
    SAMESUM_INLINE RowTotals parts() const {
        const UnsignedLongs all = reinterpret_cast<UnsignedLongs>(sums);
        return {map == Map::square ? (all & UINT32_MAX) + (all >> 32) : all};
    }

    static SAMESUM_INLINE std::uint64_t correction(std::size_t n) {
        const std::size_t vectors = (n + vector_bytes - 1) / vector_bytes;
        return flips ? 0 - 128 * std::uint64_t{vector_bytes} * vectors : 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
