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
// gives NaN in growth.
//
// x - most is exact in two words, k and 12 bits of ln 2 / 16 have an exact product, and growth is below
// 0.023: each of its four roundings costs 2^-30.
template <bool precise>
SAMESUM_INLINE Power power_of(Singles x, Singles most) {
    const Singles none = {};
    const Singles difference = x - most, least = none + vanishing_power;
    const SingleInts vanishes = difference < least;
    const Singles d = vanishes ? least : difference;
    constexpr float to_whole = 0x1.8p23f;  // added, it leaves an integer in the last bits
    const Singles shifted = fused(d, none + 0x1.715476p+4f, none + to_whole), k = shifted - to_whole;
    Singles r = fused(k, none - 0x1.62e000p-5f, d);
    r = fused(k, none - 0x1.0bfbe8p-19f, r);
    if constexpr (precise) {
        const Singles subtracted = difference - x;
        const Singles error = (x - (difference - subtracted)) - (most + subtracted);
        r += vanishes ? none : error;
    }
    Singles q = fused(r, none + 0x1.555556p-5f, none + 0x1.555556p-3f);
    q = fused(r, q, none + 0.5f);
    q = fused(r * r, q, r);
    const SingleWords bits = reinterpret_cast<SingleWords>(shifted);
    if constexpr (precise) q += reinterpret_cast<Singles>(sixteenth_of(single_root_rest, bits));
    const SingleWords root = sixteenth_of(single_root_bits, bits) + (bits << 19);
    return {vanishes ? none : reinterpret_cast<Singles>(root), q};
}

}  // namespace samesum::SAMESUM_ISA
