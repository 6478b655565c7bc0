// Products of integers modulo 2^k, in words of their own width or of 64 bits.
#pragma once

#include <type_traits>

#include "kernels/accumulators/wrapping_sum.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "kernels/vectors/octets.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// Ones for what is no element of a vector.
template <class Element>
struct Ones {
    static constexpr std::size_t elements = vector_bytes / sizeof(Element);
    using Vector = typename VectorOf<Element>::type;
    Element of_both[3 * elements];  // none in between

    constexpr Ones() : of_both{} {
        for (std::size_t i = 0; i < elements; ++i) of_both[i] = of_both[2 * elements + i] = 1;
    }
    // After n elements, and before the last n.
    SAMESUM_INLINE Vector after(std::size_t n) const { return load<Vector>(of_both + 2 * elements - n); }
    SAMESUM_INLINE Vector before(std::size_t n) const { return load<Vector>(of_both + n); }
};
template <class Element>
constexpr Ones<Element> ones_beside{};

// Vectors of integers as loops ask for them (kernels/loops/lanes.hpp).
template <class Integer>
struct FactorsOfIntegers : VectorsOf<Integer> {
    using Base = VectorsOf<Integer>;
    using typename Base::Vector;
    static SAMESUM_INLINE Vector first(const char* p, std::size_t n) {
        return Base::first(p, n) | ones_beside<Integer>.after(n);
    }
    static SAMESUM_INLINE Vector last(const char* p, std::size_t n) {
        return Base::last(p, n) | ones_beside<Integer>.before(n);
    }
};

template <class Word>
struct WrappingProduct {
    using Vector = typename VectorOf<Word>::type;

    Vector total = Vector{} + 1;

    static SAMESUM_INLINE WrappingProduct at(const Word* p) { return {load<Vector>(p)}; }
    SAMESUM_INLINE void put(Word* to) const { store(to, total); }

    SAMESUM_INLINE void take(Vector x) { total *= x; }
    SAMESUM_INLINE void join(const WrappingProduct& other) { total *= other.total; }
    SAMESUM_INLINE Word across() const {
        Word all = 1;
        for (std::size_t k = 0; k < width; ++k) all = static_cast<Word>(all * parts()[k]);
        return all;
    }

  private:
    // The low words of as many products as a vector has doubles.
    SAMESUM_INLINE UnsignedLongs parts() const {
        const auto joined = [](Vector x, int bits) {
            return x * reinterpret_cast<Vector>(reinterpret_cast<UnsignedLongs>(x) >> bits);
        };
        Vector all = total;
        if constexpr (sizeof(Word) <= 4) all = joined(all, 32);
        if constexpr (sizeof(Word) <= 2) all = joined(all, 16);
        return reinterpret_cast<UnsignedLongs>(all);
    }
};

// Of bytes, for which there is no multiplication: those of even and of odd places are in words, of which the
// low bytes count.
template <>
struct WrappingProduct<std::uint8_t> {
    WrappingProduct<std::uint16_t> even, odd;

    static SAMESUM_INLINE WrappingProduct at(const std::uint8_t* p) {
        const Pairs bytes = load<Pairs>(p);
        return {{bytes}, {bytes >> 8}};
    }
    SAMESUM_INLINE void put(std::uint8_t* to) const { store(to, (even.total & 0xff) | odd.total << 8); }

    SAMESUM_INLINE void take(Octets x) {
        const Pairs bytes = reinterpret_cast<Pairs>(x);
        even.take(bytes);
        odd.take(bytes >> 8);
    }
    SAMESUM_INLINE void join(const WrappingProduct& other) {
        even.join(other.even);
        odd.join(other.odd);
    }
    SAMESUM_INLINE std::uint8_t across() const {
        WrappingProduct<std::uint16_t> both = even;
        both.join(odd);
        return static_cast<std::uint8_t>(both.across());
    }
};

// Neighbours multiplied until they fill 64 bits, exactly: a vector of integers is one of such products.
template <class Integer>
struct NeighbourProducts {
    static constexpr std::size_t elements = vector_bytes / sizeof(Integer), size = sizeof(Integer);
    static constexpr bool has_last = FactorsOfIntegers<Integer>::has_last;

    template <class Narrow, class Vector>
    static SAMESUM_INLINE UnsignedLongs of(Vector x) {
        if constexpr (sizeof(Narrow) == 8) {
            return reinterpret_cast<UnsignedLongs>(x);
        } else {
            using Pair = Pairing<Narrow>;
            return of<typename Pair::Twice>(
                Pair::product_of_pairs(reinterpret_cast<typename Pair::Vector>(x)));
        }
    }
    static SAMESUM_INLINE UnsignedLongs all(const char* p) {
        return of<Integer>(FactorsOfIntegers<Integer>::all(p));
    }
    static SAMESUM_INLINE UnsignedLongs first(const char* p, std::size_t n) {
        return of<Integer>(FactorsOfIntegers<Integer>::first(p, n));
    }
    static SAMESUM_INLINE UnsignedLongs last(const char* p, std::size_t n) {
        return of<Integer>(FactorsOfIntegers<Integer>::last(p, n));
    }
};

// As many rows of integers as fill 64 bits when they are multiplied, exactly. Vector k holds the columns k,
// k + parts, k + 2 parts ...
template <class Integer>
struct ColumnFactors {
    static constexpr std::size_t elements = vector_bytes / sizeof(Integer), size = sizeof(Integer),
                                 parts = 8 / size, together = parts;
    static constexpr bool by_lines = false;
    static constexpr bool copied_rest = true;  // first(p, n) is as memory has it
    struct Term {
        UnsignedLongs part[parts];
    };

    static SAMESUM_INLINE Term term(const char* p, std::ptrdiff_t row_stride) {
        Term all;
        multiply<Integer, parts>(p, row_stride, all);
        return all;
    }
    using Vector = typename FactorsOfIntegers<Integer>::Vector;
    static SAMESUM_INLINE Vector all(const char* p) { return FactorsOfIntegers<Integer>::all(p); }
    static SAMESUM_INLINE Vector first(const char* p, std::size_t n) {
        return FactorsOfIntegers<Integer>::first(p, n);
    }
    // The integers of one row in words of 64 bits.
    static SAMESUM_INLINE Term split(Vector x) {
        Term all{reinterpret_cast<UnsignedLongs>(x)};
        split_to<2>(all);
        return all;
    }
    // The place of column j among the words of the vectors from number 0 on.
    static constexpr std::size_t place_of(std::size_t j) {
        return j / elements * elements + j % parts * width + j % elements / parts;
    }

  private:
    // Of `rows` rows: words of so many times the size of an integer, in as many vectors.
    template <class Narrow, std::size_t rows>
    static SAMESUM_INLINE void multiply(const char* p, std::ptrdiff_t row_stride, Term& to) {
        if constexpr (rows == 1) {
            to.part[0] = load<UnsignedLongs>(p);
        } else {
            using Pair = Pairing<IntegerOf<rows / 2>>;
            using Vector = typename Pair::Vector;
            Term upper, lower;
            multiply<Narrow, rows / 2>(p, row_stride, upper);
            multiply<Narrow, rows / 2>(p + static_cast<std::ptrdiff_t>(rows / 2) * row_stride, row_stride,
                                       lower);
            for_each_of<rows / 2>([&](std::size_t k) SAMESUM_INLINED {
                const Vector a = reinterpret_cast<Vector>(upper.part[k]),
                             b = reinterpret_cast<Vector>(lower.part[k]);
                to.part[k] = reinterpret_cast<UnsignedLongs>(Pair::product(a, b));
                to.part[k + rows / 2] = reinterpret_cast<UnsignedLongs>(Pair::high_product(a, b));
            });
        }
    }
    template <std::size_t count>
    static SAMESUM_INLINE void split_to(Term& all) {
        if constexpr (count <= parts) {
            using Pair = Pairing<IntegerOf<count / 2>>;
            using Vector = typename Pair::Vector;
            for_each_of<count / 2>([&](std::size_t k) SAMESUM_INLINED {
                const Vector v = reinterpret_cast<Vector>(all.part[k]);
                all.part[k] = reinterpret_cast<UnsignedLongs>(Pair::even(v));
                all.part[k + count / 2] = reinterpret_cast<UnsignedLongs>(Pair::odd(v));
            });
            split_to<2 * count>(all);
        }
    }
    // So many times as long.
    template <std::size_t times, class Narrow = Integer>
    struct Longer {
        using type = typename Longer<times / 2, TwiceAsLong<Narrow>>::type;
    };
    template <class Narrow>
    struct Longer<1, Narrow> {
        using type = Narrow;
    };
    template <std::size_t times>
    using IntegerOf = typename Longer<times>::type;
};

template <class Integer>
struct ColumnProducts {
    using Term = typename ColumnFactors<Integer>::Term;
    static constexpr std::size_t parts = ColumnFactors<Integer>::parts;

    Term total;

    static SAMESUM_INLINE ColumnProducts at(const std::uint64_t* p) {
        ColumnProducts all;
        for_each_of<parts>([&](std::size_t k)
                               SAMESUM_INLINED { all.total.part[k] = load<UnsignedLongs>(p + k * width); });
        return all;
    }
    SAMESUM_INLINE void put(std::uint64_t* to) const {
        for_each_of<parts>([&](std::size_t k) SAMESUM_INLINED { store(to + k * width, total.part[k]); });
    }
    SAMESUM_INLINE void take(const Term& x) {
        for_each_of<parts>([&](std::size_t k) SAMESUM_INLINED { total.part[k] *= x.part[k]; });
    }
    // Seldom more than a few rows.
    SAMESUM_APART void take(typename ColumnFactors<Integer>::Vector row) {
        take(ColumnFactors<Integer>::split(row));
    }
};

}  // namespace samesum::SAMESUM_ISA
