// Prefixes modulo 2^k of one line of integers.
#pragma once

#include "kernels/accumulators/wrapping_sum.hpp"
#include "kernels/integers/modular_totals.hpp"
#include "kernels/loops/prefixes.hpp"

namespace samesum::SAMESUM_ISA {

// Totals of vectors of words (kernels/loops/prefixes.hpp).
template <bool product>
struct WrappingState {
    template <class V>
    static SAMESUM_INLINE V joined(V a, V b) {
        return product ? a * b : a + b;
    }
    template <class V>
    static SAMESUM_INLINE V none(V) {
        return V{} + (product ? 1 : 0);
    }
};

// Of columns, each with a word of its own. Of short words fewer columns than a vector holds have a shorter
// one.
template <class Integer, class Total, bool product, std::size_t bytes = vector_bytes>
struct WrappingColumns : WrappingState<product>,
                         std::conditional_t<std::is_same_v<Integer, Total>, VectorsOf<Total, bytes>,
                                            IntegersIn<Integer, Total>> {
    using Vector = typename VectorOf<Total, bytes>::type;
    using Narrower = WrappingColumns<Integer, Total, product, bytes / 2>;
    static constexpr bool has_narrower = bytes / sizeof(Total) > 8;
    static constexpr std::size_t result_size = sizeof(Total);
    static SAMESUM_INLINE void put(char* p, Vector v) { store(p, v); }
    static SAMESUM_INLINE void put_first(char* p, Vector v, std::size_t n) { store_first(p, v, n); }
};

template <class Integer, class Total, bool product>
struct ModularLine {
    using All = ModularTotals<Total, product>;
    static constexpr std::size_t size = sizeof(Integer);
    // No instruction multiplies bytes.
    using Word = std::conditional_t<product && sizeof(Total) == 1, std::uint16_t, Total>;
    static constexpr bool has_vectors = std::is_same_v<Integer, Total> && sizeof(Total) <= 4;

    static SAMESUM_INLINE Total element(const char* p) { return static_cast<Total>(load<Integer>(p)); }
    static SAMESUM_INLINE Total next(Total total, const char* p) { return All::combined(total, element(p)); }
    static SAMESUM_INLINE void put(char* out, Total total) { __builtin_memcpy(out, &total, sizeof total); }

    // Those of whole vectors of n elements after `total`, which moves on; returns of how many. Within sixteen
    // bytes one instruction moves all elements, on every instruction set.
    static SAMESUM_INLINE std::size_t scan_vectors(Total& total, const char* p, std::size_t n, char* out) {
        using Vector = typename VectorOf<Word, 16>::type;
        typedef Total Elements __attribute__((vector_size(elements_of<Vector> * sizeof(Total))));
        const std::size_t whole = n / elements_of<Vector> * elements_of<Vector>;
        const Vector run = scan_line<WrappingState<product>>(
            whole, Vector{} + total,
            [&](std::size_t i)
                SAMESUM_INLINED { return __builtin_convertvector(load<Elements>(p + i * size), Vector); },
            [&](std::size_t i, Vector v)
                SAMESUM_INLINED { store(out + i * size, __builtin_convertvector(v, Elements)); });
        total = static_cast<Total>(run[0]);
        return whole;
    }

    static SAMESUM_INLINE Total scan(Total total, const char* p, std::size_t n, char* out) {
        std::size_t i = 0;
        if constexpr (has_vectors) i = scan_vectors(total, p, n, out);
        // Two elements for one step of the chain.
        for (; i + 2 <= n; i += 2) {
            const Total first = element(p + i * size), both = next(first, p + (i + 1) * size);
            put(out + i * sizeof(Total), All::combined(total, first));
            put(out + (i + 1) * sizeof(Total), total = All::combined(total, both));
        }
        if (i < n) put(out + i * sizeof(Total), total = next(total, p + i * size));
        return total;
    }
};

}  // namespace samesum::SAMESUM_ISA
