// The elementary functions of vectors by number, for the tests of what they promise.
#pragma once

#include "certificates/certificates.hpp"
#include "kernels/elementwise/elementwise_power.hpp"
#include "kernels/exponentials/logarithm.hpp"
#include "kernels/exponentials/powers.hpp"

namespace samesum::SAMESUM_ISA {

template <int bits>
SAMESUM_INLINE DoubleWord logarithm_of(DoubleWord t) {
    Doubles less, error;
    two_sum(t.hi - 1, t.lo, less, error);
    return logarithm<bits>(t, {less, error});
}

SAMESUM_INLINE DoubleWord double_exponential(DoubleWord x) {
    const Longs none[1] = {};
    const auto y = double_power(DoubleBatch<1>::one(x.hi), DoubleBatch<1>::one(x.lo), none);
    return {y.hi.part[0], y.lo.part[0]};
}

SAMESUM_INLINE DoubleWord double_logarithm_of(Doubles x) {
    const auto y = normal_logarithm<1>(DoubleBatch<1>::one(x), 0.0);
    return {y.hi.part[0], y.lo.part[0]};
}

SAMESUM_INLINE DoubleWord one_elementary(Elementary function, DoubleWord x) {
    const Doubles none = {};
    switch (function) {
        case Elementary::exponential:
            return {exponential(x.hi), none};
        case Elementary::exponential_68:
            return exponential<68>(x.hi, x.lo);
        case Elementary::exponential_90:
            return exponential<90>(x.hi, x.lo);
        case Elementary::exponential_less_one:
            return exponential_less_one(x.hi);
        case Elementary::logarithm_50:
            return logarithm_of<50>(x);
        case Elementary::logarithm_67:
            return logarithm_of<67>(x);
        case Elementary::logarithm_88:
            return logarithm_of<88>(x);
        case Elementary::rough_exponential:
            return {quick_of_one<ExponentialFunction>(x.hi), none};
        case Elementary::double_exponential:
            return double_exponential(x);
        case Elementary::double_logarithm:
            return double_logarithm_of(x.hi);
        default:
            return {quick_logarithm(x.hi), none};
    }
}

// Of floats, as root and growth, and so many octaves too great as they are.
template <bool precise>
void single_powers(const Table& x, const Table& to) {
    for (std::size_t j = 0; j < to.n; j += width) {
        const Floats element = narrowed(load<Doubles>(x.row(0) + j));
        const Singles elements[1] = {joined(element, element)};
        Power power[1];
        powers_of<precise>(elements, NearZero<SingleRange>{}, power);
        store(to.row(0) + j, widen(power[0].root).low);
        store(to.row(1) + j, widen(power[0].growth).low);
    }
}

inline void double_powers(const Table& x, const Table& to) {
    for (std::size_t j = 0; j < to.n; j += width) {
        const Doubles elements[1] = {load<Doubles>(x.row(0) + j)};
        DoublePower power[1];
        double_powers_of(elements, NearZero<DoubleRange>{}, power);
        store(to.row(0) + j, power[0].root);
        store(to.row(1) + j, power[0].growth);
    }
}

inline void elementary(Elementary function, const Table& x, const Table& to) {
    if (function == Elementary::power) return single_powers<false>(x, to);
    if (function == Elementary::precise_power) return single_powers<true>(x, to);
    if (function == Elementary::double_power) return double_powers(x, to);
    for (std::size_t j = 0; j < to.n; j += width) {
        const DoubleWord y =
            one_elementary(function, {load<Doubles>(x.row(0) + j), load<Doubles>(x.row(1) + j)});
        store(to.row(0) + j, y.hi);
        store(to.row(1) + j, y.lo);
    }
}

}  // namespace samesum::SAMESUM_ISA
