// e^(x - most) in floats, for the normalizations of formats narrower than float64.
#pragma once

#include "kernels/singles.hpp"

namespace samesum::SAMESUM_ISA {

// 2^(j/16) is s(1 + r): the bits of s, less j << 19 and 2^`power_scale` times larger, so that adding k << 19
// gives those of 2^power_scale s * 2^floor(k/16); and r.
constexpr int power_scale = 60;
alignas(64) constexpr std::uint32_t single_root_bits[16] = {
    0x3f800000 + (power_scale << 23), 0x3f7daac3 + (power_scale << 23), 0x3f7b95c2 + (power_scale << 23),
    0x3f79c3d3 + (power_scale << 23), 0x3f7837f0 + (power_scale << 23), 0x3f76f532 + (power_scale << 23),
    0x3f75fed7 + (power_scale << 23), 0x3f75583f + (power_scale << 23), 0x3f7504f3 + (power_scale << 23),
    0x3f7508a4 + (power_scale << 23), 0x3f75672a + (power_scale << 23), 0x3f76248c + (power_scale << 23),
    0x3f7744fd + (power_scale << 23), 0x3f78ccdf + (power_scale << 23), 0x3f7ac0c7 + (power_scale << 23),
    0x3f7d257d + (power_scale << 23)};
alignas(64) constexpr float single_root_rest[16] = {
    0x0p+0f,          0x1.8d96d4p-25f,  -0x1.9c0c22p-27f, 0x1.964904p-25f,  0x1.125002p-25f, 0x1.370be4p-25f,
    -0x1.0a3550p-25f, -0x1.00d8acp-27f, 0x1.26055cp-26f,  -0x1.05cb44p-25f, 0x1.67a1cap-28f, 0x1.a3b5e4p-28f,
    -0x1.f9c304p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f, 0x1.61428ep-28f};

// Below this, powers count as zero: 2^-180 of the greatest is nothing in any format, nor are 2^30 of them.
constexpr float vanishing_power = -125;

// 2^power_scale e^(x - most) is root * (1 + growth).
struct Power {
    Singles root, growth;
};

// For x <= most; `precise` within 2^-28 of it, else within 2^-23 and what rounding x - most does to it. NaN
// gives NaN in growth. Several at once, step by step: one by one, a scheduler's room binds, not its units.
//
// x - most is exact in two words, k and 12 bits of ln 2 / 16 have an exact product, and growth is below
// 0.023: each of its four roundings costs 2^-30.
template <bool precise, std::size_t count>
SAMESUM_INLINE void powers_of(const Singles (&x)[count], Singles most, Power (&power)[count]) {
    const Singles none = {}, least = none + vanishing_power;
    constexpr float to_whole = 0x1.8p23f;  // added, it leaves an integer in the last bits
    Singles difference[count], k[count], r[count], q[count];
    SingleWords bits[count];
    SingleInts remains[count];
    for_each_of<count>([&](std::size_t i) { difference[i] = x[i] - most; });
    for_each_of<count>([&](std::size_t i) {
        remains[i] = difference[i] >= least;
        r[i] = greater(least, difference[i]);
    });
    for_each_of<count>([&](std::size_t i) {
        k[i] = fused(r[i], none + 0x1.715476p+4f, none + to_whole);
        bits[i] = reinterpret_cast<SingleWords>(k[i]);
    });
    for_each_of<count>([&](std::size_t i) { k[i] -= to_whole; });
    for_each_of<count>([&](std::size_t i) { r[i] = fused(k[i], none - 0x1.62e000p-5f, r[i]); });
    for_each_of<count>([&](std::size_t i) { r[i] = fused(k[i], none - 0x1.0bfbe8p-19f, r[i]); });
    if constexpr (precise)
        for_each_of<count>([&](std::size_t i) {
            const Singles subtracted = difference[i] - x[i];
            const Singles error = (x[i] - (difference[i] - subtracted)) - (most + subtracted);
            r[i] += remains[i] ? error : none;
        });
    for_each_of<count>(
        [&](std::size_t i) { q[i] = fused(r[i], none + 0x1.555556p-5f, none + 0x1.555556p-3f); });
    for_each_of<count>([&](std::size_t i) { q[i] = fused(r[i], q[i], none + 0.5f); });
    for_each_of<count>([&](std::size_t i) { q[i] = fused(r[i] * r[i], q[i], r[i]); });
    for_each_of<count>([&](std::size_t i) {
        if constexpr (precise) q[i] += reinterpret_cast<Singles>(sixteenth_of(single_root_rest, bits[i]));
        const Singles root =
            reinterpret_cast<Singles>(sixteenth_of(single_root_bits, bits[i]) + (bits[i] << 19));
        power[i] = {remains[i] ? root : none, q[i]};
    });
}

}  // namespace samesum::SAMESUM_ISA
