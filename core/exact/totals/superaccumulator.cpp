#include "exact/totals/superaccumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/exponentials/fixed.hpp"
#include "exact/totals/leading.hpp"

namespace samesum {

// Logarithms of exact sums.

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

namespace {

template <class Digits>
int top_digit(const Digits& d) {
    int i = d.last;
    while (i >= d.first && d.digit[static_cast<std::size_t>(i)] == 0) --i;
    return i >= d.first ? i : -1;
}

// 128 leading bits; 127 or 128, so that an even power of two remains, when `even` asks for it.
template <class Digits>
u128 leading_bits(const Digits& d, int lowest, bool even, int& exponent, bool& sticky) {
    const int top = top_digit(d);
    const auto digit = [&](int i) -> u128 { return i >= 0 ? d.digit[static_cast<std::size_t>(i)] : 0; };
    u128 bits = digit(top) << 96 | digit(top - 1) << 64 | digit(top - 2) << 32 | digit(top - 3);
    int shift = std::countl_zero(static_cast<std::uint32_t>(digit(top)));
    exponent = lowest + 32 * (top - 3) - shift;
    if (even && exponent % 2 != 0) --shift, ++exponent;
    sticky = false;
    if (shift >= 0) {
        bits = bits << shift;
        if (shift > 0) bits |= digit(top - 4) >> (32 - shift);
        sticky = static_cast<std::uint32_t>(digit(top - 4) << shift) != 0;
    } else {
        sticky = (bits & 1) != 0 || digit(top - 4) != 0;
        bits >>= 1;
    }
    for (int i = top - 5; i >= d.first && !sticky; --i) sticky = digit(i) != 0;
    return bits;
}

template <class Digits>
Leading leading(const Digits& d, int lowest) {
    if (top_digit(d) < 0) return {};
    Leading result;
    const u128 bits = leading_bits(d, lowest, false, result.exponent, result.sticky);
    result.significand = static_cast<std::uint64_t>(bits >> 64);
    result.sticky |= static_cast<std::uint64_t>(bits) != 0;
    result.exponent += 64;
    return result;
}

template <class Digits>
Leading leading_root(const Digits& d, int lowest) {
    if (top_digit(d) < 0) return {};
    Leading result;
    const u128 bits = leading_bits(d, lowest, true, result.exponent, result.sticky);
    result.significand = floor_root(bits);
    result.sticky |= u128{result.significand} * result.significand != bits;
    result.exponent /= 2;
    const int shift = std::countl_zero(result.significand);  // at most one: bits has 127 or 128
    result.significand <<= shift;
    result.exponent -= shift;
    return result;
}

// Divides in place; true if there is a remainder.
template <class Digits>
bool divide(Digits& d, std::uint64_t divisor) {
    std::uint64_t remainder = 0;
    const bool short_divisor = divisor <= UINT32_MAX;
    const int below =
        d.first < 4 ? 0 : d.first - 4;  // so many digits of the quotient below those of the number
    for (int i = d.last; i >= below; --i) {
        std::uint32_t& digit = d.digit[static_cast<std::size_t>(i)];
        if (short_divisor) {
            const std::uint64_t part = remainder << 32 | digit;
            digit = static_cast<std::uint32_t>(part / divisor);
            remainder = part % divisor;
        } else {
            const u128 part = u128{remainder} << 32 | digit;
            digit = static_cast<std::uint32_t>(part / divisor);
            remainder = static_cast<std::uint64_t>(part % divisor);
        }
    }
    d.first = below;
    return remainder != 0;
}

}  // namespace

void Superaccumulator::propagate() {
    const auto carry_on = [this](int i) {
        std::int64_t& limb = limb_[static_cast<std::size_t>(i)];
        limb_[static_cast<std::size_t>(i) + 1] += limb >> 32;
        limb &= 0xffffffff;
    };
    for (int i = first_; i < last_; ++i) carry_on(i);
    // The last limb keeps the sign; a digit's worth of it stays free for what is added next.
    while (last_ >= 0 && last_ + 1 < limbs && limb_[static_cast<std::size_t>(last_)] >> 31 != 0 &&
           limb_[static_cast<std::size_t>(last_)] >> 31 != -1) {
        carry_on(last_++);
    }
    pending_ = 1;  // the digits themselves count as one addition
}

void Superaccumulator::merge(const Superaccumulator& other) {
    Superaccumulator copy = other;
    copy.propagate();
    propagate();
    for (int i = copy.first_; i <= copy.last_; ++i) {
        limb_[static_cast<std::size_t>(i)] += copy.limb_[static_cast<std::size_t>(i)];
    }
    first_ = first_ < copy.first_ ? first_ : copy.first_;
    last_ = last_ > copy.last_ ? last_ : copy.last_;
    pending_ = 2;
    Specials::merge(other);
}

Superaccumulator::Digits Superaccumulator::digits(bool& negative) const {
    Digits result;
    negative = false;
    if (last_ < 0) return result;
    std::array<std::int64_t, limbs + 1> limb;
    std::int64_t carry = 0;
    for (int i = first_; i <= last_; ++i) {
        const std::int64_t sum = limb_[static_cast<std::size_t>(i)] + carry;
        limb[static_cast<std::size_t>(i)] = sum & 0xffffffff;
        carry = sum >> 32;
    }
    int last = last_ + 1;
    limb[static_cast<std::size_t>(last)] = carry & 0xffffffff;
    negative = carry < 0;
    std::uint64_t one = negative ? 1 : 0;  // two's complement: all bits turned, and one added
    for (int i = first_; i <= last; ++i) {
        const std::uint64_t digit = static_cast<std::uint64_t>(limb[static_cast<std::size_t>(i)]);
        const std::uint64_t size = (negative ? digit ^ 0xffffffff : digit) + one;
        result.digit[static_cast<std::size_t>(i) + 4] = static_cast<std::uint32_t>(size);
        one = size >> 32;
    }
    result.first = first_ + 4;
    result.last = last + 4;
    return result;
}

std::array<std::uint32_t, Superaccumulator::words> Superaccumulator::magnitude_words(bool& negative) const {
    const Digits all = digits(negative);
    std::array<std::uint32_t, words> result;
    std::copy_n(all.digit.begin() + 4, words, result.begin());
    return result;
}

std::uint64_t Superaccumulator::rounded_float(Digits& d, bool negative, const Finish& how) const {
    const int lowest = lowest_exponent - 128;
    Leading value;
    if (how.finalize == Finalize::root) {
        value = leading_root(d, lowest);
    } else {
        const bool remainder =
            how.finalize == Finalize::over_count && divide(d, static_cast<std::uint64_t>(how.count));
        value = leading(d, lowest);
        value.sticky |= remainder;
    }
    return round_to_format(value, negative, how.format);
}

// Integers have no digits below the binary point; the result is taken modulo 2^64, of which a type keeps its
// part.
std::uint64_t Superaccumulator::truncated(Digits& d, bool negative, const Finish& how) const {
    constexpr std::size_t point = static_cast<std::size_t>(4 - lowest_exponent / 32);
    std::uint64_t result = 0;
    if (how.finalize == Finalize::root) {
        // Bit by bit from the top: the remainder stays below 2^(bits of the root + 2), so 128 bits are
        // plenty.
        u128 root = 0, remainder = 0;
        for (int i = static_cast<int>(point) + 5; i >= static_cast<int>(point); --i) {
            for (int pair = 15; pair >= 0; --pair) {
                remainder = remainder << 2 | (d.digit[static_cast<std::size_t>(i)] >> (2 * pair) & 3);
                const u128 candidate = root << 2 | 1;
                root <<= 1;
                if (remainder >= candidate) remainder -= candidate, root |= 1;
            }
        }
        return static_cast<std::uint64_t>(root);
    }
    // The quotient of the whole number: what lies below the point is cut off toward zero.
    if (how.finalize == Finalize::over_count) divide(d, static_cast<std::uint64_t>(how.count));
    result = std::uint64_t{d.digit[point + 1]} << 32 | d.digit[point];
    return negative ? 0 - result : result;
}

std::uint64_t Superaccumulator::rounded(const Finish& how) const {
    const bool real = is_float(how.format), logarithms = how.finalize == Finalize::logarithm;
    if (real && logarithms && has_negative_infinity()) return canonical_nan(how.format);
    if (real && !is_finite()) return special_bits(how.format);
    bool negative;
    Digits d = digits(negative);
    if (logarithms) return logarithm(d, negative, how);
    return real ? rounded_float(d, negative, how) : truncated(d, negative, how);
}

// Whether some word below is not zero.
bool RunningTotal::is_more_below(int index) const {
    for (int i = index - 1; i >= lowest_; --i) {
        if (word(i) != 0) return true;
    }
    return false;
}

std::uint64_t RunningTotal::rounded(Format format) const {
    if (!is_finite()) return special_bits(format);
    const std::uint64_t sign = word(top_), first = word(top_ - 1), second = word(top_ - 2),
                        third = word(top_ - 3);
    // As good as random, where totals are about the end of a word: no branches.
    const bool negative = sign != 0, is_spare = first == sign;
    const bool sticky = is_more_below(top_ - 3) | ((is_spare ? 0 : third) != 0);
    const int exponent = lowest_exponent + 64 * (top_ - 2 - (is_spare ? 1 : 0));
    const u128 leading = u128{is_spare ? second : first} << 64 | (is_spare ? third : second);
    // The magnitude: of a negative one all bits turned, and one added in the lowest place.
    const u128 magnitude = (leading ^ (u128{sign} << 64 | sign)) + (negative & !sticky ? 1 : 0);
    if (negative && magnitude == 0)
        return round_to_format({std::uint64_t{1} << 63, exponent + 65, sticky}, true, format);
    return round_to_format(leading_of(magnitude, exponent, sticky), negative, format);
}

Leading leading_of(u128 value, int exponent, bool sticky) {
    const std::uint64_t high = static_cast<std::uint64_t>(value >> 64),
                        low = static_cast<std::uint64_t>(value);
    if (value == 0) return {0, exponent, sticky};
    const int shift = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
    const u128 top = value << shift;
    return {static_cast<std::uint64_t>(top >> 64), exponent + 64 - shift,
            sticky || static_cast<std::uint64_t>(top) != 0};
}

std::uint64_t floor_root(u128 x) {
    constexpr double limit = 0x1p64;
    const double near = std::sqrt(static_cast<double>(x));
    std::uint64_t root = near < limit ? static_cast<std::uint64_t>(near) : UINT64_MAX;
    if (root == 0) return 0;
    // Within some thousands: the rest tells how many.
    const __int128 rest = static_cast<__int128>(x - u128{root} * root);
    const double step = std::floor(static_cast<double>(rest) / (2 * static_cast<double>(root)));
    const __int128 next = static_cast<__int128>(root) + static_cast<__int128>(step);
    root = next > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(next);
    while (u128{root} * root > x) --root;
    while (root < UINT64_MAX && u128{root + 1} * (root + 1) <= x) ++root;
    return root;
}

std::uint64_t round_to_format(const Leading& v, bool negative, Format format) {
    if (v.significand == 0 && !v.sticky) return 0;
    const FloatTraits traits = traits_of(format);
    const int exponent = v.exponent + 63;  // of the leading bit
    if (v.significand != 0 && exponent > traits.max_exponent) return overflow_bits(format, negative);
    const bool subnormal = exponent < traits.min_exponent;
    const int kept =
        v.significand == 0 ? -1 : traits.precision - (subnormal ? traits.min_exponent - exponent : 0);
    std::uint64_t size = 0;
    if (kept >= 0) {
        const std::uint64_t integer = kept == 0 ? 0 : v.significand >> (64 - kept);
        const std::uint64_t rest = kept == 0 ? v.significand : v.significand << kept;
        const std::uint64_t half = std::uint64_t{1} << 63;
        // As good as random: no branches.
        const bool up = (rest > half) | ((rest == half) & (v.sticky | ((integer & 1) != 0)));
        // Normal: the hidden bit adds one to the exponent field; a carry moves on into it.
        const std::uint64_t field = subnormal ? 0
                                              : static_cast<std::uint64_t>(exponent - traits.min_exponent)
                                                    << (traits.precision - 1);
        size = field + integer + (up ? 1 : 0);
    }
    if (size > traits.largest) return overflow_bits(format, negative);
    return negative && (size != 0 || traits.has_negative_zero) ? sign_bit(format) | size : size;
}

}  // namespace samesum
