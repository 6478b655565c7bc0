// Sums of one float each, of its magnitude or its square: the element, but for the sign of zero and the
// payload of NaNs, or a product, rounded once.
#pragma once

#include <type_traits>

#include "exact/rounding.hpp"
#include "kernels/short.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, Format format, Map map>
struct ShortOne {
    static_assert(is_float(format) && (map != Map::square || sizeof(Key) >= sizeof(float)));
    using Real = std::conditional_t<sizeof(Key) == sizeof(double), double, float>;
    typedef Key Keys __attribute__((vector_size(vector_bytes)));
    typedef Real Reals __attribute__((vector_size(vector_bytes)));

    static SAMESUM_INLINE Keys square_of(Reals x) { return reinterpret_cast<Keys>(x * x); }

    static SAMESUM_INLINE Keys sum_of(Keys x) {
        constexpr Key infinity = static_cast<Key>(infinity_bits(format));
        if constexpr (map == Map::square) x = square_of(reinterpret_cast<Reals>(x));
        const Keys size = x & static_cast<Key>(sign_bit(format) - 1);
        const Keys sum = map == Map::magnitude ? size : size == 0 ? Keys{} : x;
        return size > infinity ? Keys{} + static_cast<Key>(canonical_nan(format)) : sum;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_sure<Keys>(all, n, out, failed,
                                [](const ShortRows& some) { return sum_of(load<Keys>(some.p)); });
    }
};

}  // namespace samesum::SAMESUM_ISA
