// Prefixes modulo 2^k of one line of integers.
#pragma once

#include <utility>

#include "kernels/integers/modular_totals.hpp"

namespace samesum::SAMESUM_ISA {

// Sixteen bytes of words at a time: within them one instruction moves all elements, on every instruction set.
template <class Word, bool product>
struct WordPrefixes {
    typedef Word Vector __attribute__((vector_size(16)));
    static constexpr std::size_t count = sizeof(Vector) / sizeof(Word);
    static constexpr Word identity = product ? 1 : 0;

    static SAMESUM_INLINE Vector combined(Vector a, Vector b) { return product ? a * b : a + b; }

    // Element i moves to i + distance.
    template <std::size_t distance, std::size_t... i>
    static SAMESUM_INLINE Vector shifted(Vector v, std::index_sequence<i...>) {
        return __builtin_shufflevector(Vector{} + identity, v, (i < distance ? i : count + i - distance)...);
    }

    template <std::size_t... i>
    static SAMESUM_INLINE Vector last_of(Vector v, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, v, (i - i + count - 1)...);
    }

    template <std::size_t distance = 1>
    static SAMESUM_INLINE Vector of(Vector v) {
        if constexpr (distance >= count)
            return v;
        else
            return of<2 * distance>(combined(v, shifted<distance>(v, std::make_index_sequence<count>{})));
    }

    // Those of whole vectors of elements as narrow as `Narrow`, which go on after `total`; returns how many.
    template <class Narrow>
    static SAMESUM_INLINE std::size_t scan(Narrow& total, const char* p, std::size_t n, char* out) {
        typedef Narrow Elements __attribute__((vector_size(sizeof(Narrow) * count)));
        Vector run = Vector{} + total;
        std::size_t i = 0;
        for (; i + count <= n; i += count) {
            const Vector v = of(__builtin_convertvector(load<Elements>(p + i * sizeof(Narrow)), Vector));
            store(out + i * sizeof(Narrow), __builtin_convertvector(combined(v, run), Elements));
            // Nothing but this waits for the vector before.
            run = combined(run, last_of(v, std::make_index_sequence<count>{}));
        }
        total = static_cast<Narrow>(run[0]);
        return i;
    }
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

    static SAMESUM_INLINE Total scan(Total total, const char* p, std::size_t n, char* out) {
        std::size_t i = 0;
        if constexpr (has_vectors) i = WordPrefixes<Word, product>::scan(total, p, n, out);
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
