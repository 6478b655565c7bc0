// Logarithms of exact sums.
#include "exact/real_result.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

namespace {

// 2^octaves * significand, the latter from 1 to 2 and cut off where it is not exact. (Lemma 75)
template <std::size_t limbs>
struct Octaves {
    Fixed<limbs> significand;
    int octaves;
    bool exact;
};

// `top` is the place of the first digit that is not zero.
template <std::size_t limbs, class Digits>
Octaves<limbs> octaves_of(const Digits& d, int top, int lowest) {
    const auto digit = [&](int i) -> std::uint64_t {
        return i >= 0 ? d.digit[static_cast<std::size_t>(i)] : 0;
    };
    std::array<std::uint64_t, limbs> limb;
    for (int i = 0; i < static_cast<int>(limbs); ++i)
        limb[limbs - 1 - static_cast<std::size_t>(i)] = digit(top - 2 * i) << 32 | digit(top - 2 * i - 1);
    const int leading = 63 - std::countl_zero(digit(top));
    bool exact = (limb[0] & 0xffffffff) == 0 && limb[0] >> 32 == 0;
    for (int i = top - 2 * static_cast<int>(limbs); i >= d.first && exact; --i) exact = digit(i) == 0;
    const Fixed<limbs> whole = Fixed<limbs>::of(limb) >> (32 + leading);
    return {whole, lowest + 32 * top + leading, exact};
}

template <std::size_t limbs>
bool round_logarithm(const Octaves<limbs>& x, const Finish& how, std::uint64_t& bits) {
    const std::uint64_t octaves = static_cast<std::uint64_t>(x.octaves < 0 ? -x.octaves : x.octaves);
    const Fixed<limbs> whole = ln2<limbs>() * octaves;
    const Fixed<limbs> part = Logarithm<limbs>::of_significand(x.significand);
    const bool negative = x.octaves < 0, one = x.exact && octaves == 0 && x.significand == Fixed<limbs>{1};
    const u128 error = one ? 0 : Logarithm<limbs>::units + octaves + 1;
    return round_result({}, negative ? whole - part : whole + part, negative, error, how, bits);
}

}  // namespace

// Of zero the least value of the format, -infinity in floats; of negative sums NaN, in integers zero.
std::uint64_t Superaccumulator::logarithm(const Digits& d, bool negative, const Finish& how) const {
    const bool real = is_float(how.format);
    int top = d.last;
    while (top >= d.first && d.digit[static_cast<std::size_t>(top)] == 0) --top;
    if (top < d.first)
        return real ? infinity_bits(how.format) | sign_bit(how.format)
                    : (is_unsigned(how.format) ? 0 : sign_bit(how.format));
    if (negative) return real ? canonical_nan(how.format) : 0;
    const int lowest = lowest_exponent - 128;
    std::uint64_t bits;
    if (!round_logarithm(octaves_of<4>(d, top, lowest), how, bits))
        round_logarithm(octaves_of<21>(d, top, lowest), how, bits);
    return bits;
}

}  // namespace samesum
