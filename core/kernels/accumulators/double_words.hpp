// Sums in double-words, one in each element of a vector: the sum so far, what was rounded off it, and
// magnitudes that bound what the latter lost.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// What is to be squared, where squares are rounded.
struct Roots {
    Doubles x;
};

// Elements of a format as double-words take them.
template <class F, Map map>
struct TermsOf {
    static constexpr std::size_t elements = width, size = F::size;

    static SAMESUM_INLINE auto of(Doubles x) {
        if constexpr (map == Map::magnitude) return samesum::SAMESUM_ISA::magnitude(x);
        if constexpr (map == Map::square && F::format == Format::f64) return Roots{x};
        if constexpr (map == Map::square && F::format != Format::f64) return x * x;
        if constexpr (map == Map::itself) return x;
    }
    static SAMESUM_INLINE auto all(const char* p) { return of(F::doubles(p)); }
    static SAMESUM_INLINE auto first(const char* p, std::size_t n) { return of(first_doubles<F>(p, n)); }
};

// `few`: for sets of few elements, whose sums are often ties. The residuals of the low words are then known,
// so that exact sums are told.
template <bool few>
struct DoubleWords {
    // The magnitudes are those of the low word's terms, or of what was rounded off it if `few`.
    Doubles sum = {}, rest = {}, sizes = {};

    static SAMESUM_INLINE DoubleWords at(const double* sum, const double* rest, const double* sizes) {
        return {load<Doubles>(sum), load<Doubles>(rest), load<Doubles>(sizes)};
    }
    SAMESUM_INLINE void put(double* sum_to, double* rest_to, double* sizes_to) const {
        store(sum_to, sum);
        store(rest_to, rest);
        store(sizes_to, sizes);
    }

    SAMESUM_INLINE void take(Doubles x) { add(x); }
    SAMESUM_INLINE void take(Roots root) {
        const Doubles product = root.x * root.x;
        Doubles error;
        balanced_two_sum(sum, product, sum, error);
        add_rest(error + square_error(root.x, product));
    }
    SAMESUM_INLINE void add(Doubles x) {
        Doubles error;
        balanced_two_sum(sum, x, sum, error);
        add_rest(error);
    }
    SAMESUM_INLINE void add_rest(Doubles error) {
        Doubles lost = error;
        if constexpr (few)
            two_sum(rest, error, rest, lost);
        else
            rest += error;
        sizes = plus(sizes, samesum::SAMESUM_ISA::magnitude(lost));
    }

    SAMESUM_INLINE void join(const DoubleWords& other) {
        sizes += other.sizes;
        add(other.sum);
        if constexpr (few)
            add_rest(other.rest);
        else
            rest += other.rest;
    }
    template <int distance>
    SAMESUM_INLINE DoubleWords paired(const DoubleWords& other) const {
        DoubleWords both{paired_low<distance>(sum, other.sum), paired_low<distance>(rest, other.rest),
                         paired_low<distance>(sizes, other.sizes)};
        both.join({paired_high<distance>(sum, other.sum), paired_high<distance>(rest, other.rest),
                   paired_high<distance>(sizes, other.sizes)});
        return both;
    }
};

}  // namespace samesum::SAMESUM_ISA
