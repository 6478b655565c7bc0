// Powers of e in floats, for the normalizations of formats narrower than float64.
#pragma once

#include "kernels/exponentials/references.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

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

// Of floats, what `references.hpp` asks for. Near zero no power is subnormal, nor what it loses, nor are
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

}  // namespace samesum::SAMESUM_ISA
