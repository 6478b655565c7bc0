// What the powers of a line's elements are taken against: a power of two, which changes none of their bits.
#pragma once

#include "kernels/exponentials/exponential.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

// Powers as they are, of lines whose greatest element is in the range. What is below `least` is taken for it.
template <class R>
struct NearZero {
    using Vector = typename R::Vector;
    using Mask = typename R::Mask;
    static constexpr bool is_near = true;

    static SAMESUM_INLINE Mask holds(Vector most) {
        return (most >= R::least_greatest) & (most <= R::greatest);
    }
    static SAMESUM_INLINE Vector placed(Vector x) {
        const Vector none = {};
        return lesser(none + R::greatest, greater(none + R::least, x));
    }
    static SAMESUM_INLINE Vector whole() { return Vector{} + R::to_whole; }
};

// Powers against one near that of each line's greatest element, and of lines that are near zero as they are.
// Of a greatest element beyond `taken_as_it_is` the others' differences are taken, which are exact for those
// that do not vanish.
template <class R>
struct BelowGreatest {
    using Vector = typename R::Vector;
    using Mask = typename R::Mask;
    static constexpr bool is_near = false;
    Vector greatest, subtracted, least, most, octaves;

    static SAMESUM_INLINE BelowGreatest of(Vector greatest, Mask near) {
        const Vector none = {}, infinite = none + infinity_of();
        const Mask as_it_is = near | ((greatest <= R::taken_as_it_is) & (greatest >= -R::taken_as_it_is));
        const Vector subtracted = as_it_is ? none : greatest, top = greatest - subtracted;
        const Vector octaves = fused(top, none + R::per_octave, none + R::to_whole) - R::to_whole;
        return {near ? infinite : greatest, subtracted, near ? none + R::least : top + R::vanishing,
                near ? none + R::greatest : infinite, near ? none : octaves};
    }

    // The same for all elements of one line.
    SAMESUM_INLINE BelowGreatest of_line(std::size_t k) const {
        const Vector none = {};
        return {none + greatest[k], none + subtracted[k], none + least[k], none + most[k], none + octaves[k]};
    }

    static constexpr auto infinity_of() { return static_cast<decltype(R::least)>(__builtin_huge_val()); }

    // The lines that are near zero, where no element is infinite: none equals their `greatest` and `nothing`.
    SAMESUM_INLINE Mask near() const { return greatest == infinity_of(); }
    SAMESUM_INLINE Vector nothing() const { return near() ? greatest : Vector{} - infinity_of(); }
    // The greatest element as powers take it; zero for lines that are near it.
    SAMESUM_INLINE Vector top() const { return near() ? Vector{} : greatest - subtracted; }

    SAMESUM_INLINE Vector placed(Vector x) const { return lesser(most, greater(least, x - subtracted)); }
    SAMESUM_INLINE Vector whole() const { return R::to_whole - R::steps * octaves; }
};

// Powers of e in floats, for the normalizations of formats narrower than float64.

// 2^(j/32) is s(1 + r): the bits of s, less j << 18 and 2^`power_scale` times larger, so that adding k << 18
// gives those of 2^power_scale s * 2^floor(k/32); and r.
constexpr int power_scale = 60;
alignas(64) constexpr std::uint32_t single_root_bits[32] = {
    0x3f800000 + (power_scale << 23), 0x3f7ecd87 + (power_scale << 23), 0x3f7daac3 + (power_scale << 23),
    0x3f7c980f + (power_scale << 23), 0x3f7b95c2 + (power_scale << 23), 0x3f7aa43a + (power_scale << 23),
    0x3f79c3d3 + (power_scale << 23), 0x3f78f4f0 + (power_scale << 23), 0x3f7837f0 + (power_scale << 23),
    0x3f778d3a + (power_scale << 23), 0x3f76f532 + (power_scale << 23), 0x3f767043 + (power_scale << 23),
    0x3f75fed7 + (power_scale << 23), 0x3f75a15b + (power_scale << 23), 0x3f75583f + (power_scale << 23),
    0x3f7523f6 + (power_scale << 23), 0x3f7504f3 + (power_scale << 23), 0x3f74fbaf + (power_scale << 23),
    0x3f7508a4 + (power_scale << 23), 0x3f752c4d + (power_scale << 23), 0x3f75672a + (power_scale << 23),
    0x3f75b9be + (power_scale << 23), 0x3f76248c + (power_scale << 23), 0x3f76a81e + (power_scale << 23),
    0x3f7744fd + (power_scale << 23), 0x3f77fbb8 + (power_scale << 23), 0x3f78ccdf + (power_scale << 23),
    0x3f79b907 + (power_scale << 23), 0x3f7ac0c7 + (power_scale << 23), 0x3f7be4ba + (power_scale << 23),
    0x3f7d257d + (power_scale << 23), 0x3f7e83b3 + (power_scale << 23)};
alignas(64) constexpr float single_root_rest[32] = {
    0x0p+0f,          -0x1.947414p-25f, 0x1.8d96d4p-25f,  -0x1.dda2fcp-25f, -0x1.9c0c22p-27f,
    -0x1.a2fbb2p-25f, 0x1.964904p-25f,  -0x1.2b0dbcp-25f, 0x1.125002p-25f,  -0x1.cde8cep-26f,
    0x1.370be4p-25f,  0x1.336de2p-30f,  -0x1.0a355p-25f,  -0x1.c541b4p-26f, -0x1.00d8acp-27f,
    -0x1.6cb284p-25f, 0x1.26055cp-26f,  0x1.8b2bb8p-26f,  -0x1.05cb44p-25f, -0x1.1c2142p-26f,
    0x1.67a1cap-28f,  -0x1.348e56p-25f, 0x1.a3b5e4p-28f,  -0x1.0b7ec8p-25f, -0x1.f9c304p-27f,
    -0x1.e4c886p-26f, -0x1.6961b4p-28f, -0x1.b5151ep-28f, -0x1.a5217cp-28f, -0x1.ab7132p-26f,
    0x1.61428ep-28f,  -0x1.2ad5f8p-27f};

// Of floats, what these ask for. Near zero no power is subnormal, nor what it loses, nor are
// those of 2^31 elements too many for their reciprocal; less than `least` is nothing beside the others.
struct SingleRange {
    using Vector = Singles;
    using Mask = SingleInts;
    static constexpr float least_greatest = -8, greatest = 24, least = -114;
    // Powers so far below the greatest are nothing in any format, and so are 2^30 of them.
    static constexpr float vanishing = -125;
    static constexpr float taken_as_it_is = 256, per_octave = 0x1.715476p+0f, steps = 32;  // of an octave
    static constexpr float to_whole = 0x1.8p23f;  // added, it leaves an integer in the last bits
};

// 2^power_scale e^x, relative to a power of two, is root * (1 + growth).
struct Power {
    Singles root, growth;
};

// `precise` within 1.27 * 2^-30 of it, else within 2^-24. NaN gives NaN in growth. Several at once, step by
// step: one by one, a scheduler's room binds, not its units.
//
// x less k times the first word of ln 2 / 32, a multiple of 2^-26, is exact: both are multiples of 2^-29, or
// |k| <= 1. Growth is below 0.011: its last addition costs 2^-31, its product with the rest of the root,
// which is left out, 2^-30.6, the polynomial 2^-33 and all else 2^-37. (Lemma 47)
template <bool precise, std::size_t count, class Against>
SAMESUM_INLINE void powers_of(const Singles (&x)[count], const Against& against, Power (&power)[count]) {
    const Singles none = {}, whole = against.whole();
    Singles k[count], exact[count], r[count], q[count];
    SingleWords bits[count];
    for_each_of<count>([&](std::size_t i) { r[i] = against.placed(x[i]); });
    for_each_of<count>([&](std::size_t i) {
        k[i] = fused(r[i], none + 0x1.715476p+5f, whole);
        bits[i] = reinterpret_cast<SingleWords>(k[i]);
    });
    for_each_of<count>([&](std::size_t i) { k[i] -= whole; });
    for_each_of<count>([&](std::size_t i) { exact[i] = fused(k[i], none - 0x1.62e43p-6f, r[i]); });
    for_each_of<count>([&](std::size_t i) { r[i] = fused(k[i], none + 0x1.05c61p-34f, exact[i]); });
    for_each_of<count>(
        [&](std::size_t i) { q[i] = fused(r[i], none + 0x1.555556p-3f, none + 0x1.000088p-1f); });
    for_each_of<count>([&](std::size_t i) {
        if constexpr (precise) {
            const Singles rest = reinterpret_cast<Singles>(step_of(single_root_rest, bits[i]));
            q[i] = fused(r[i] * r[i], q[i], rest);
            q[i] = exact[i] + fused(k[i], none + 0x1.05c61p-34f, q[i]);
        } else {
            q[i] = fused(r[i] * r[i], q[i], r[i]);
        }
    });
    for_each_of<count>([&](std::size_t i) {
        power[i] = {reinterpret_cast<Singles>(step_of(single_root_bits, bits[i]) + (bits[i] << 18)), q[i]};
    });
}

// Powers of e in doubles, for the normalizations of float64.

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
