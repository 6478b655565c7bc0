// Squares of elements in registers, whose rows become columns.
#pragma once

#include <utility>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Shuffles stay within 16 bytes as long as they can: those are the quick ones.
template <class V>
struct Square {
    static constexpr std::size_t lane = sizeof(V) < 16 ? width : 16 * width / sizeof(V), lanes = width / lane;

    // The elements of a and b by turns, from the first or the second half of each lane.
    template <bool second>
    struct Interleaved {
        static constexpr int place(std::size_t i) {
            const std::size_t k = i % lane;
            return static_cast<int>(i - k + (second ? lane / 2 : 0) + k / 2 + k % 2 * width);
        }
    };
    // Of a, then of b, every other lane.
    template <bool odd>
    struct Picked {
        static constexpr int place(std::size_t i) {
            const std::size_t l = 2 * (i / lane) + odd;
            return static_cast<int>(l * lane + i % lane);
        }
    };
    template <class Order, std::size_t... i>
    static SAMESUM_INLINE V shuffled(V a, V b, std::index_sequence<i...>) {
        return __builtin_shufflevector(a, b, Order::place(i)...);
    }
    template <class Order>
    static SAMESUM_INLINE V shuffled(V a, V b) {
        return shuffled<Order>(a, b, std::make_index_sequence<width>{});
    }

    // Squares of one lane each: `lane` rows from number `first` on.
    static SAMESUM_INLINE void transpose_lanes(V (&v)[width], std::size_t first) {
        for (std::size_t pass = 1; pass < lane; pass *= 2) {
            V next[lane];
            for (std::size_t i = 0; i < lane / 2; ++i) {
                const V a = v[first + i], b = v[first + i + lane / 2];
                next[2 * i] = shuffled<Interleaved<false>>(a, b);
                next[2 * i + 1] = shuffled<Interleaved<true>>(a, b);
            }
            for (std::size_t i = 0; i < lane; ++i) v[first + i] = next[i];
        }
    }

    static SAMESUM_INLINE void transpose(V (&v)[width]) {
        for (std::size_t first = 0; first < width; first += lane) transpose_lanes(v, first);
        // Whole lanes change places, those of one row of the squares with one another.
        for (std::size_t pass = 1; pass < lanes; pass *= 2) {
            V next[width];
            for (std::size_t i = 0; i < lanes / 2; ++i) {
                for (std::size_t r = 0; r < lane; ++r) {
                    const V a = v[2 * i * lane + r], b = v[(2 * i + 1) * lane + r];
                    next[i * lane + r] = shuffled<Picked<false>>(a, b);
                    next[(i + lanes / 2) * lane + r] = shuffled<Picked<true>>(a, b);
                }
            }
            for (std::size_t i = 0; i < width; ++i) v[i] = next[i];
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
