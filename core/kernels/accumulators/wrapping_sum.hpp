// Sums of integers modulo 2^k, in words of their own width or wider ones.
#pragma once

#include <type_traits>

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/widening.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Integers in vectors of words, with their signs, as loops ask for them (kernels/loops/lanes.hpp).
template <class Integer, class Word>
struct IntegersIn {
    using To = std::conditional_t<std::is_signed_v<Integer>, std::make_signed_t<Word>, Word>;
    using Vector = typename VectorOf<Word>::type;
    static constexpr std::size_t elements = vector_bytes / sizeof(Word), size = sizeof(Integer);
    typedef Integer Narrow __attribute__((vector_size(elements * size)));

    static SAMESUM_INLINE Vector all(const char* p) {
        if constexpr (sizeof(Integer) == sizeof(Word))
            return load<Vector>(p);
        else
            return reinterpret_cast<Vector>(widened_from<To, Integer>(p));
    }
    static SAMESUM_INLINE Vector first(const char* p, std::size_t n) {
        char padded[sizeof(Narrow)];
        store(padded, load_first<Narrow>(p, n));
        return all(padded);
    }
    static constexpr bool has_last = size < 4;  // loads by masks serve longer elements
    static SAMESUM_INLINE Vector last(const char* p, std::size_t n) {
        return last_ones(n, all(p - (elements - n) * size));
    }
};

// Totals of rows, one in each element.
struct RowTotals {
    UnsignedLongs total = {};

    template <int distance>
    SAMESUM_INLINE RowTotals paired(const RowTotals& other) const {
        return {paired_low<distance>(total, other.total) + paired_high<distance>(total, other.total)};
    }
};

template <class Integer, class Word, Map map>
struct WrappingSum {
    using Load = IntegersIn<Integer, Word>;
    using Vector = typename Load::Vector;

    Vector total = {};

    SAMESUM_INLINE void take(Vector x) {
        if constexpr (map == Map::magnitude && std::is_signed_v<Integer>) {
            using Signed = typename VectorOf<std::make_signed_t<Word>>::type;
            x = reinterpret_cast<Signed>(x) < 0 ? 0 - x : x;
        }
        if constexpr (map != Map::square)
            total += x;
        else if constexpr (sizeof(Word) == 8 && sizeof(Integer) <= 4 && std::is_signed_v<Integer>)
            total += reinterpret_cast<Vector>(
                product_of_halves(reinterpret_cast<Longs>(x), reinterpret_cast<Longs>(x)));
        else if constexpr (sizeof(Word) == 8 && sizeof(Integer) <= 4)
            total += product_of_halves(x, x);
        else
            total += x * x;
    }
    SAMESUM_INLINE void join(const WrappingSum& other) { total += other.total; }

    // Sums that add up to the total of all elements, if words of 32 bits did not wrap.
    SAMESUM_INLINE RowTotals parts() const {
        if constexpr (sizeof(Word) == 8) {
            return {total};
        } else if constexpr (sizeof(Word) == 4) {
            if constexpr (std::is_signed_v<Integer> && map == Map::itself) {
                const Longs pairs = reinterpret_cast<Longs>(total);
                return {reinterpret_cast<UnsignedLongs>((pairs << 32 >> 32) + (pairs >> 32))};
            }
            const UnsignedLongs pairs = reinterpret_cast<UnsignedLongs>(total);
            return {(pairs & UINT32_MAX) + (pairs >> 32)};
        } else {
            const Quads pairs = reinterpret_cast<Quads>(total);
            const UnsignedLongs sums = reinterpret_cast<UnsignedLongs>((pairs & 0xffff) + (pairs >> 16));
            return {sums + (sums >> 32)};  // of which the low bits count
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
