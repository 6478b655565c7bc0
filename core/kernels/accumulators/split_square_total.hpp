// Exact sums of squares of 32- and 64-bit integers, up to 2^31 of them: the halves of the magnitudes are
// multiplied, and the halves of the products added apart.
#pragma once

#include <type_traits>

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/integer_products.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer>
struct SplitSquareTotal {
    // The low and the high halves of products; of 64-bit integers of three: low by low, low by high, high by
    // high.
    static constexpr std::size_t parts = sizeof(Integer) == 8 ? 6 : 2;
    typedef Integer Elements __attribute__((vector_size(width * sizeof(Integer))));

    UnsignedLongs part[parts] = {};

    SAMESUM_INLINE void add(std::size_t at, UnsignedLongs product) {
        part[at] += product & UINT32_MAX;
        part[at + 1] += product >> 32;
    }

    SAMESUM_INLINE void take(Elements x) {
        if constexpr (std::is_same_v<Integer, std::int32_t>) {
            const Longs wide = __builtin_convertvector(x, Longs);
            return add(0, reinterpret_cast<UnsignedLongs>(product_of_halves(wide, wide)));
        }
        UnsignedLongs size = __builtin_convertvector(x, UnsignedLongs);
        if constexpr (std::is_signed_v<Integer>) {
            const UnsignedLongs negative =
                reinterpret_cast<UnsignedLongs>(reinterpret_cast<Longs>(size) >> 63);
            size = (size ^ negative) - negative;
        }
        add(0, product_of_halves(size, size));
        if constexpr (sizeof(Integer) == 8) {
            const UnsignedLongs high = size >> 32;
            add(2, product_of_halves(size, high));
            add(4, product_of_halves(high, high));
        }
    }

    SAMESUM_INLINE void join(const SplitSquareTotal& other) {
        for_each_of<parts>([&](std::size_t i) SAMESUM_INLINED { part[i] += other.part[i]; });
    }

    template <int distance>
    SAMESUM_INLINE SplitSquareTotal paired(const SplitSquareTotal& other) const {
        SplitSquareTotal both;
        for_each_of<parts>([&](std::size_t i) SAMESUM_INLINED {
            both.part[i] =
                paired_low<distance>(part[i], other.part[i]) + paired_high<distance>(part[i], other.part[i]);
        });
        return both;
    }
};

}  // namespace samesum::SAMESUM_ISA
