// Sums of one float each, of its magnitude or its square: the element, but for the sign of zero and the
// payload of NaNs, or a product, rounded once.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/singles.hpp"

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

// Squares of 16-bit floats, which float32 holds if they are normal numbers of it.
template <class F>
struct ShortNarrowSquare {
    static SAMESUM_INLINE Singles square_of(Singles x) {
        Singles square = x * x;
        // Subnormal bfloat16: their last place is that of sums with this, which are rounded once.
        constexpr float normal = 0x1p-126f, shift = 0x1p-110f;
        const SingleInts small = square < normal;
        if (F::format == Format::bf16 && any(small))
            square = small ? fused(x, x, Singles{} + shift) - shift : square;
        return square == square ? square : Singles{} + __builtin_nanf("");
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        std::memset(failed, 0, n);
        each_short<singles, F::size>(all, n, [&](const ShortRows& some, std::size_t j) {
            put_short<singles, F::size>(out, j, n, [&](char* to) {
                store_singles<F::format>(to, square_of(load_singles<F>(some.p)));
            });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
