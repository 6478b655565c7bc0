// Exact totals of runs of bytes, by the instructions that add bytes, or products of 16-bit pairs, into wider
// words.
#pragma once

#include <type_traits>

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/octets.hpp"
#include "kernels/vectors/partial.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, Map map>
struct ByteTotal {
    static_assert(sizeof(Integer) == 1);
    static constexpr bool flips = std::is_signed_v<Integer> && map == Map::itself;
    static constexpr std::size_t chains = 4;

    // 32 bits are enough for the squares of `block_elements` bytes.
    using Part = std::conditional_t<map == Map::square, Quads, UnsignedLongs>;
    static_assert(block_elements * 255 * 255 <= UINT32_MAX);

    static SAMESUM_INLINE Part part_of(Octets x) {
        if constexpr (flips) x ^= 0x80;
        if constexpr (std::is_signed_v<Integer> && map != Map::itself) x = x < -x ? x : -x;
        if constexpr (map == Map::square) {
            const Pairs pairs = reinterpret_cast<Pairs>(x);
            return sums_of_two_squares(pairs & 0xff) + sums_of_two_squares(pairs >> 8);
        } else {
            return sums_of_eight(x);
        }
    }

    // Sums that add up to the total of n <= block_elements bytes, but for the correction.
    struct Sums {
        UnsignedLongs sum;

        template <int distance>
        SAMESUM_INLINE Sums paired(const Sums& other) const {
            return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum)};
        }
    };

    static SAMESUM_INLINE Sums sums_of(const char* p, std::size_t n) {
        constexpr std::size_t step = chains * vector_bytes;
        Part part[chains] = {};
        for (; n >= step; n -= step, p += step) {
            prefetch_run<step>(p);
            for (std::size_t k = 0; k < chains; ++k) part[k] += part_of(load<Octets>(p + k * vector_bytes));
        }
        for (; n >= vector_bytes; n -= vector_bytes, p += vector_bytes) part[0] += part_of(load<Octets>(p));
        if (n > 0) part[1] += part_of(load_first<Octets>(p, n));
        const UnsignedLongs all = reinterpret_cast<UnsignedLongs>((part[0] + part[1]) + (part[2] + part[3]));
        return {map == Map::square ? (all & UINT32_MAX) + (all >> 32) : all};
    }

    static SAMESUM_INLINE std::uint64_t correction(std::size_t n) {
        const std::size_t vectors = (n + vector_bytes - 1) / vector_bytes;
        return flips ? 0 - 128 * std::uint64_t{vector_bytes} * vectors : 0;
    }

    // take(r, total) for each row.
    template <class Take>
    static SAMESUM_INLINE void each(const char* p, std::size_t n, std::ptrdiff_t row_stride, std::size_t rows,
                                    const Take& take) {
        const std::uint64_t more = correction(n);
        std::size_t r = 0;
        for (; r + width <= rows; r += width) {
            Sums row[width];
            for (std::size_t k = 0; k < width; ++k, p += row_stride) row[k] = sums_of(p, n);
            const UnsignedLongs totals = folded_rows(row).sum + more;
            for (std::size_t k = 0; k < width; ++k) take(r + k, totals[k]);
        }
        for (; r < rows; ++r, p += row_stride) {
            const UnsignedLongs sum = sums_of(p, n).sum;
            std::uint64_t total = more;
            for (std::size_t k = 0; k < width; ++k) total += sum[k];
            take(r, total);
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
