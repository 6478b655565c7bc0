// Powers of e in doubles, for the normalizations of float64.
#pragma once

#include "kernels/exponentials/exponential.hpp"
#include "kernels/exponentials/references.hpp"

namespace samesum::SAMESUM_ISA {

// Powers are 2^`double_power_scale` times larger than they are, so that the least are normal numbers.
constexpr std::int64_t double_power_scale = 600;
constexpr double double_power_unit = 0x1p-600;
constexpr double least_quotient = 0x1p-422;  // below this, 2^-600 times it is subnormal

// (hi + lo) 2^-600 where it is subnormal, rounded at the last place that is left of it.
SAMESUM_INLINE Doubles subnormal_quotient(Doubles hi, Doubles lo) {
    Doubles placed, rest;
    two_sum(Doubles{} + least_quotient, hi, placed, rest);
    return ((placed + (rest + lo)) - least_quotient) * double_power_unit;
}

// Of doubles, what `SingleRange` is for floats.
struct DoubleRange {
    using Vector = Doubles;
    using Mask = Longs;
    static constexpr double least_greatest = -40, greatest = 100, least = -790, vanishing = -800;
    static constexpr double taken_as_it_is = 2048, per_octave = sixteenths_per_unit / 16, steps = 16,
                            to_whole = to_integer;
};

// 2^double_power_scale e^x, relative to a power of two, is root * (1 + growth).
struct DoublePower {
    Doubles root, growth;
};

// Within 2^-58 of it, as `powers_of`. NaN gives NaN in growth. (Lemma 48)
template <std::size_t count, class Against>
SAMESUM_INLINE void double_powers_of(const Doubles (&x)[count], const Against& against,
                                     DoublePower (&power)[count]) {
    const Doubles none = {}, whole = against.whole();
    Sixteenths at[count];
    Doubles r[count], q[count];
    for_each_of<count>([&](std::size_t i) { at[i] = Sixteenths::of(against.placed(x[i]), whole); });
    for_each_of<count>(
        [&](std::size_t i) { r[i] = fused(-at[i].number, none + sixteenth_rest, at[i].rest); });
    constexpr double terms[] = {0x1.a01b6e7a951e2p-13, 0x1.6c16c16b94c3ap-10, 0x1.11111110a137cp-7,
                                0x1.5555555555557p-5,  0x1.5555555555558p-3,  0.5};
    for_each_of<count>([&](std::size_t i) { q[i] = none + 0x1.a01b5a26c74dfp-16; });
    for (const double term : terms)
        for_each_of<count>([&](std::size_t i) { q[i] = fused(r[i], q[i], none + term); });
    for_each_of<count>([&](std::size_t i) {
        const Doubles beyond = fused(r[i] * r[i], q[i], at[i].root_error());
        const Doubles growth = at[i].rest + fused(-at[i].number, none + sixteenth_rest, beyond);
        power[i] = {at[i].scaled_root(double_power_scale), growth};
    });
}

}  // namespace samesum::SAMESUM_ISA
