// Products modulo 2^k of integers of one and two bytes, for which there are no instructions or few: of bytes
// in words of two, and into 64 bits by pairs, whose products are exact in words twice as long.
#pragma once

#include <type_traits>

#include "kernels/vectors/integer_products.hpp"

namespace samesum::SAMESUM_ISA {

typedef std::uint16_t Words16 __attribute__((vector_size(vector_bytes)));

// Bytes of even and of odd places in words, of which the low bytes count.
struct ByteProduct {
    Words16 even, odd;

    static SAMESUM_INLINE ByteProduct of(Words16 bytes) { return {bytes, bytes >> 8}; }
    SAMESUM_INLINE void take(Words16 bytes) {
        even *= bytes;
        odd *= bytes >> 8;
    }
    SAMESUM_INLINE Words16 bytes() const { return (even & 0xff) | odd << 8; }
};

SAMESUM_INLINE std::uint8_t product_of_bytes(const char* p, std::size_t n) {
    const Words16 ones = Words16{} + 1;
    ByteProduct part[2] = {{ones, ones}, {ones, ones}};
    std::size_t i = 0;
    for (; i + 2 * vector_bytes <= n; i += 2 * vector_bytes, p += 2 * vector_bytes) {
        prefetch_run<2 * vector_bytes>(p);
        for (std::size_t k = 0; k < 2; ++k) part[k].take(load<Words16>(p + k * vector_bytes));
    }
    const Words16 all = (part[0].even * part[1].even) * (part[0].odd * part[1].odd);
    std::uint32_t total = 1;
    for (std::size_t k = 0; k < vector_bytes / 2; ++k) total *= all[k];
    for (; i < n; ++i, ++p) total *= load<std::uint8_t>(p);
    return static_cast<std::uint8_t>(total);
}

// The product of each pair of neighbours, exact in an integer of twice their size.
template <class Integer>
struct PairProducts {
    static constexpr bool has_sign = std::is_signed_v<Integer>;
    static constexpr int bits = 8 * sizeof(Integer);
    using Twice = std::conditional_t<
        bits == 8, std::conditional_t<has_sign, std::int16_t, std::uint16_t>,
        std::conditional_t<bits == 16, std::conditional_t<has_sign, std::int32_t, std::uint32_t>,
                           std::conditional_t<has_sign, std::int64_t, std::uint64_t>>>;
    typedef Twice Vector __attribute__((vector_size(vector_bytes)));

    static SAMESUM_INLINE Vector of(Vector pairs) {
        // There is no instruction for all 64 bits of a product before AVX-512.
        if constexpr (bits == 32) {
            using Whole = std::conditional_t<has_sign, Longs, UnsignedLongs>;
            return reinterpret_cast<Vector>(
                product_of_halves(reinterpret_cast<Whole>(pairs), reinterpret_cast<Whole>(pairs >> bits)));
        } else {
            return (pairs << bits >> bits) * (pairs >> bits);
        }
    }
};

// The products of eight bytes each, or of four integers of two bytes.
template <class Integer, class Vector = typename PairProducts<Integer>::Vector>
SAMESUM_INLINE UnsignedLongs products_of_longs(Vector v) {
    const Vector products = PairProducts<Integer>::of(v);
    if constexpr (sizeof(Integer) == 4) {
        return reinterpret_cast<UnsignedLongs>(products);
    } else {
        using Twice = typename PairProducts<Integer>::Twice;
        return products_of_longs<Twice>(reinterpret_cast<typename PairProducts<Twice>::Vector>(products));
    }
}

template <class Integer>
SAMESUM_INLINE std::uint64_t wide_product(const char* p, std::size_t n) {
    constexpr std::size_t chains = 4, step = chains * vector_bytes / sizeof(Integer);
    UnsignedLongs part[chains];
    for (auto& one : part) one = UnsignedLongs{} + 1;
    std::size_t i = 0;
    for (; i + step <= n; i += step, p += chains * vector_bytes) {
        prefetch_run<chains * vector_bytes>(p);
        for (std::size_t k = 0; k < chains; ++k)
            part[k] *= products_of_longs<Integer>(
                load<typename PairProducts<Integer>::Vector>(p + k * vector_bytes));
    }
    const UnsignedLongs all = (part[0] * part[1]) * (part[2] * part[3]);
    std::uint64_t total = 1;
    for (std::size_t k = 0; k < width; ++k) total *= all[k];
    for (; i < n; ++i, p += sizeof(Integer)) total *= static_cast<std::uint64_t>(load<Integer>(p));
    return total;
}

// The product of a column of `rows` integers, exact in an integer so many times as long.
template <class Integer, std::size_t rows>
SAMESUM_INLINE auto product_of_column(const char* p, std::ptrdiff_t row_stride) {
    if constexpr (rows == 1) {
        return load<Integer>(p);
    } else {
        const auto a = product_of_column<Integer, rows / 2>(p, row_stride);
        const auto b = product_of_column<Integer, rows / 2>(
            p + static_cast<std::ptrdiff_t>(rows / 2) * row_stride, row_stride);
        using Twice = typename PairProducts<std::remove_const_t<decltype(a)>>::Twice;
        return static_cast<Twice>(static_cast<Twice>(a) * static_cast<Twice>(b));
    }
}

}  // namespace samesum::SAMESUM_ISA
