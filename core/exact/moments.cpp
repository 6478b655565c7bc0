#include "exact/moments.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "exact/leading.hpp"

namespace samesum {

namespace {

// A natural number: words of 64 bits from the lowest on, zero from `used` on.
template <std::size_t words>
struct Natural {
    std::array<std::uint64_t, words> word{};
    std::size_t used = 0;

    void trim() {
        while (used > 0 && word[used - 1] == 0) --used;
    }
};

// Of bits from 2^-1088 on, which a square moves to 2^-2176.
constexpr int lowest_exponent = Superaccumulator::lowest_exponent;
constexpr std::size_t sum_words = 55, square_words = 72, most_words = 2 * sum_words + 1;
using Wide = Natural<most_words>;

constexpr int correction_bits = 8;

template <std::size_t words>
Natural<words> natural_of(const std::array<std::uint32_t, Superaccumulator::words>& digits,
                          std::size_t first) {
    Natural<words> x;
    for (std::size_t i = first; i < digits.size(); ++i)
        x.word[(i - first) / 2] |= std::uint64_t{digits[i]} << (32 * ((i - first) % 2));
    x.used = words;
    x.trim();
    return x;
}

Natural<3> magnitude_of(const WholeWords& x) {
    const std::uint64_t sign = 0 - (x.word[2] >> 63);
    Natural<3> size;
    u128 carry = sign & 1;
    for (std::size_t i = 0; i < 3; ++i) {
        carry += x.word[i] ^ sign;
        size.word[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    size.used = 3;
    size.trim();
    return size;
}

template <std::size_t words>
void multiply(Wide& to, const Natural<words>& x, std::uint64_t factor) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < x.used; ++i) {
        const u128 product = u128{x.word[i]} * factor + carry;
        to.word[i] = static_cast<std::uint64_t>(product);
        carry = static_cast<std::uint64_t>(product >> 64);
    }
    to.word[x.used] = carry;
    to.used = x.used + 1;
}

template <std::size_t words>
Wide square_of(const Natural<words>& x) {
    Wide square;
    std::size_t first = 0;
    while (first < x.used && x.word[first] == 0) ++first;
    for (std::size_t i = first; i < x.used; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = first; j < x.used; ++j) {
            const u128 sum = u128{x.word[i]} * x.word[j] + square.word[i + j] + carry;
            square.word[i + j] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
        square.word[i + x.used] = carry;
    }
    square.used = 2 * x.used;
    return square;
}

// False if y is the greater one.
bool subtract(Wide& x, const Wide& y) {
    x.used = std::max(x.used, y.used);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < x.used; ++i) {
        const u128 difference = u128{x.word[i]} - y.word[i] - borrow;
        x.word[i] = static_cast<std::uint64_t>(difference);
        borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    x.trim();
    return borrow == 0;
}

// Five words from the first one that is not zero on: two divisors of 64 bits leave 129 bits or more of them.
struct Quotient {
    std::array<std::uint64_t, 5> word{};
    int exponent = 0;
    bool sticky = false;

    Quotient(const Wide& x, int lowest) : exponent(lowest + 64 * (static_cast<int>(x.used) - 5)) {
        for (std::size_t i = 0; i < std::min<std::size_t>(5, x.used); ++i)
            word[4 - i] = x.word[x.used - 1 - i];
        for (std::size_t i = 0; i + 5 < x.used && !sticky; ++i) sticky = x.word[i] != 0;
    }

    void divide(std::uint64_t divisor) {
        std::uint64_t remainder = 0;
        for (std::size_t i = 5; i-- > 0;) {
            const u128 part = u128{remainder} << 64 | word[i];
            word[i] = static_cast<std::uint64_t>(part / divisor);
            remainder = static_cast<std::uint64_t>(part % divisor);
        }
        sticky |= remainder != 0;
    }

    // 128 bits; 127 or 128 with an even exponent for a root.
    Leading leading(bool is_root) const {
        std::size_t top = 4;
        while (top > 2 && word[top] == 0) --top;
        u128 bits = u128{word[top]} << 64 | word[top - 1];
        const std::uint64_t next = word[top - 2];
        int shift = std::countl_zero(word[top]);
        int below = exponent + 64 * (static_cast<int>(top) - 1) - shift;
        bool more = sticky;
        for (std::size_t i = 0; i + 2 < top; ++i) more |= word[i] != 0;
        if (is_root && below % 2 != 0) --shift, ++below;
        if (shift < 0) {
            more |= (bits & 1) != 0 || next != 0;
            bits >>= 1;
        } else {
            more |= (next << shift) != 0;
            bits = bits << shift | (shift > 0 ? next >> (64 - shift) : 0);
        }
        if (!is_root) return leading_of(bits, below, more);
        const std::uint64_t root = floor_root(bits);
        return leading_of(root, below / 2, more || u128{root} * root != bits);
    }
};

// The divisor times a power of two, which `exponent` counts; zero if it is not positive.
std::uint64_t divisor_of(const Moment& how, int& exponent) {
    const __int128 correction = static_cast<__int128>(std::ldexp(how.correction, correction_bits));
    __int128 divisor = (static_cast<__int128>(how.count) << correction_bits) - correction;
    exponent = correction_bits;
    if (divisor <= 0) return 0;
    for (; exponent > 0 && divisor % 2 == 0; --exponent) divisor /= 2;
    for (; divisor >> 64 != 0; --exponent) divisor /= 2;  // counts beyond 2^55, which no memory holds
    return static_cast<std::uint64_t>(divisor);
}

template <std::size_t some, std::size_t others>
std::uint64_t rounded(const Natural<some>& sum, const Natural<others>& squares, int lowest,
                      const Moment& how) {
    const bool is_central = how.kind != MomentKind::root_mean_square;
    const bool is_root = how.kind != MomentKind::variance;
    const std::uint64_t count = static_cast<std::uint64_t>(how.count);
    int scale = 0;
    const std::uint64_t divisor = is_central ? divisor_of(how, scale) : count;
    if (how.count <= 0 || divisor == 0) return canonical_nan(how.format);
    // count * squares - sum^2, which is not negative, over count * divisor.
    Wide all;
    multiply(all, squares, is_central ? count : 1);
    if (!is_central)
        all.trim();
    else if (!subtract(all, square_of(sum)))
        return canonical_nan(how.format);
    if (all.used == 0) return 0;
    Quotient quotient(all, lowest + scale);
    if (is_central) quotient.divide(count);
    quotient.divide(divisor);
    return round_to_format(quotient.leading(is_root), false, how.format);
}

}  // namespace

bool is_correction(double correction) {
    constexpr double most = 0x1p40;
    return std::abs(correction) < most &&
           std::ldexp(correction, correction_bits) == std::floor(std::ldexp(correction, correction_bits));
}

std::uint64_t rounded_moment(const Superaccumulator& sum, const Superaccumulator& squares,
                             const Moment& how) {
    if (how.kind == MomentKind::root_mean_square && !squares.is_finite() && how.count > 0)
        return squares.special_bits(how.format);
    if (!sum.is_finite() || !squares.is_finite()) return canonical_nan(how.format);
    bool negative;
    constexpr std::size_t half = static_cast<std::size_t>(-lowest_exponent) / 64;
    return rounded(natural_of<sum_words>(sum.magnitude_words(negative), half),
                   natural_of<square_words>(squares.magnitude_words(negative), 0), lowest_exponent, how);
}

std::uint64_t rounded_moment(const WholeWords& sum, const WholeWords& squares, const Moment& how) {
    return rounded(magnitude_of(sum), magnitude_of(squares), 0, how);
}

}  // namespace samesum
