// Fixed-point numbers from 0 up to 2^64, with exponentials and logarithms whose errors are counted in units
// of the last place.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

using u128 = unsigned __int128;

// One integer limb above `limbs - 1` of fraction, the lowest first. Sums and differences are modulo 2^64.
template <std::size_t limbs>
class Fixed {
  public:
    static constexpr int fraction_bits = 64 * (static_cast<int>(limbs) - 1);

    constexpr Fixed() = default;
    constexpr explicit Fixed(std::uint64_t whole) { limb_[limbs - 1] = whole; }

    constexpr std::uint64_t limb(std::size_t i) const { return limb_[i]; }
    constexpr std::uint64_t whole() const { return limb_[limbs - 1]; }

    static constexpr Fixed of(const std::array<std::uint64_t, limbs>& limb) {
        Fixed x;
        x.limb_ = limb;
        return x;
    }

    // Any units of the last place.
    static constexpr Fixed units(u128 n) {
        Fixed x;
        x.limb_[0] = static_cast<std::uint64_t>(n);
        x.limb_[1] = static_cast<std::uint64_t>(n >> 64);
        return x;
    }

    constexpr bool is_zero() const { return *this == Fixed{}; }

    friend constexpr bool operator==(const Fixed&, const Fixed&) = default;
    friend constexpr bool operator<(const Fixed& a, const Fixed& b) {
        std::size_t i = limbs - 1;
        while (i > 0 && a.limb_[i] == b.limb_[i]) --i;
        return a.limb_[i] < b.limb_[i];
    }

    constexpr Fixed& operator+=(const Fixed& x) {
        u128 carry = 0;
        for (std::size_t i = 0; i < limbs; ++i) {
            carry += u128{limb_[i]} + x.limb_[i];
            limb_[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return *this;
    }

    constexpr Fixed& operator-=(const Fixed& x) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < limbs; ++i) {
            const u128 difference = u128{limb_[i]} - x.limb_[i] - borrow;
            limb_[i] = static_cast<std::uint64_t>(difference);
            borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
        }
        return *this;
    }

    friend constexpr Fixed operator+(Fixed a, const Fixed& b) { return a += b; }
    friend constexpr Fixed operator-(Fixed a, const Fixed& b) { return a -= b; }

    // Rounded down.
    friend constexpr Fixed operator*(const Fixed& a, const Fixed& b) {
        std::array<std::uint64_t, 2 * limbs> product{};
        for (std::size_t i = 0; i < limbs; ++i) {
            u128 carry = 0;
            for (std::size_t j = 0; j < limbs; ++j) {
                carry += u128{a.limb_[i]} * b.limb_[j] + product[i + j];
                product[i + j] = static_cast<std::uint64_t>(carry);
                carry >>= 64;
            }
            product[i + limbs] = static_cast<std::uint64_t>(carry);
        }
        Fixed result;
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = product[i + limbs - 1];
        return result;
    }

    friend constexpr Fixed operator*(const Fixed& a, std::uint64_t n) {
        Fixed result;
        u128 carry = 0;
        for (std::size_t i = 0; i < limbs; ++i) {
            carry += u128{a.limb_[i]} * n;
            result.limb_[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return result;
    }

    // Rounded down.
    friend constexpr Fixed operator/(const Fixed& a, std::uint64_t n) {
        Fixed result;
        u128 rest = 0;
        for (std::size_t i = limbs; i-- > 0;) {
            rest = rest << 64 | a.limb_[i];
            result.limb_[i] = static_cast<std::uint64_t>(rest / n);
            rest %= n;
        }
        return result;
    }

    // Rounded down.
    constexpr Fixed operator>>(int shift) const {
        const std::size_t whole_limbs = static_cast<std::size_t>(shift / 64);
        const int bits = shift % 64;
        Fixed result;
        for (std::size_t i = 0; i + whole_limbs < limbs; ++i) {
            const std::size_t from = i + whole_limbs;
            const u128 two = u128{from + 1 < limbs ? limb_[from + 1] : 0} << 64 | limb_[from];
            result.limb_[i] = static_cast<std::uint64_t>(two >> bits);
        }
        return result;
    }

    // The bits beyond the integer limb are lost.
    constexpr Fixed operator<<(int shift) const {
        const std::size_t whole_limbs = static_cast<std::size_t>(shift / 64);
        const int bits = shift % 64;
        Fixed result;
        for (std::size_t i = whole_limbs; i < limbs; ++i) {
            const std::size_t from = i - whole_limbs;
            const u128 two = u128{limb_[from]} << 64 | (from > 0 ? limb_[from - 1] : 0);
            result.limb_[i] = static_cast<std::uint64_t>(two << bits >> 64);
        }
        return result;
    }

    // Within 2^-50 of it, relatively, if it is not below 1/2.
    double approximately() const {
        return static_cast<double>(whole()) + std::ldexp(static_cast<double>(limb_[limbs - 2]), -64);
    }

  private:
    std::array<std::uint64_t, limbs> limb_{};
};

// ln 2 in units of 2^-1280, rounded down.
inline constexpr std::array<std::uint64_t, 20> ln2_limbs = {
    0x7d2e23de1400b396, 0xee569d6dfc1efa15, 0x610d30f88fe551a2, 0x07f4ca11fb5bfb90, 0xda2d97c50f3fd5c6,
    0x655fa1872f20e3a2, 0xf5dfa6bd38303248, 0x72ce87b19d6548ca, 0x256fa0ec7657f74b, 0xb9ea9bc3b136603b,
    0x1acbda11317c387e, 0x3e96ca16224ae8c5, 0x27573b291169b825, 0xed2eae35c1382144, 0x559552fb4afa1b10,
    0xe7b876206debac98, 0x8a0d175b8baafa2b, 0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab};

template <std::size_t limbs>
constexpr Fixed<limbs> ln2() {
    static_assert(limbs <= ln2_limbs.size() + 1);
    Fixed<limbs> x;
    for (std::size_t i = ln2_limbs.size() + 1 - limbs; i < ln2_limbs.size(); ++i) {
        x = (x >> 64) + Fixed<limbs>{ln2_limbs[i]};
    }
    return x >> 64;
}

// e^-a for a < 2^11, off by at most `units` of the last place. (Lemma 72)
template <std::size_t limbs>
struct Exponential {
    // The argument is halved so often that the series and the squarings take about as long. What the series
    // leaves out is less than a unit.
    static constexpr int halvings = limbs < 8 ? 10 : 26;
    static constexpr std::size_t terms = limbs < 8 ? 15 : 45;
    // Each term is off by 2, and an argument of 2^11 or fewer octaves by as many; a power up to 2 that is
    // squared is off by twice as much and by one more.
    static constexpr std::uint64_t units = ((2 * terms + 4) << (halvings + 1)) + (1 << 13);

    static constexpr std::array<Fixed<limbs>, terms + 1> inverse_factorials = [] {
        std::array<Fixed<limbs>, terms + 1> c;
        c[0] = Fixed<limbs>{1};
        for (std::size_t n = 1; n <= terms; ++n) c[n] = c[n - 1] / n;
        return c;
    }();

    static Fixed<limbs> of_minus(const Fixed<limbs>& a) {
        constexpr Fixed<limbs> octave = ln2<limbs>();
        std::uint64_t octaves = static_cast<std::uint64_t>(a.approximately() * 1.4426950408889634);
        while (octave * octaves < a) ++octaves;
        if (octaves >= static_cast<std::uint64_t>(Fixed<limbs>::fraction_bits)) return {};
        const Fixed<limbs> rest = (octave * octaves - a) >> halvings;
        Fixed<limbs> power = inverse_factorials[terms];
        for (std::size_t n = terms; n-- > 0;) power = power * rest + inverse_factorials[n];
        for (int i = 0; i < halvings; ++i) power = power * power;
        return power >> static_cast<int>(octaves);
    }
};

// log t for t >= 1, off by at most `units` of the last place: y + log(t e^-y) for a double y slightly below
// it, by the series of log(1 + d) for d < 2^-37. (Lemma 73)
template <std::size_t limbs>
struct Logarithm {
    static constexpr std::size_t terms = static_cast<std::size_t>(Fixed<limbs>::fraction_bits) / 37 + 1;
    static constexpr std::uint64_t units = 2 * Exponential<limbs>::units + 2 * terms + 256;

    static constexpr std::array<Fixed<limbs>, terms + 1> inverses = [] {
        std::array<Fixed<limbs>, terms + 1> c;
        for (std::size_t n = 1; n <= terms; ++n) c[n] = Fixed<limbs>{1} / n;
        return c;
    }();

    static Fixed<limbs> of(const Fixed<limbs>& t) {
        const int octaves = 63 - std::countl_zero(t.whole());
        return ln2<limbs>() * static_cast<std::uint64_t>(octaves) + of_significand(t >> octaves);
    }

    // For 1 <= z < 2.
    static Fixed<limbs> of_significand(const Fixed<limbs>& z) {
        constexpr double steps = 0x1p40;
        const double below = std::log(z.approximately()) * steps - 4;
        const Fixed<limbs> y = Fixed<limbs>{below > 0 ? static_cast<std::uint64_t>(below) : 0} >> 40;
        const Fixed<limbs> d = z * Exponential<limbs>::of_minus(y) - Fixed<limbs>{1};
        Fixed<limbs> series = inverses[terms];
        for (std::size_t n = terms; n-- > 1;) series = inverses[n] - d * series;
        return y + d * series;
    }
};

// Results that are known up to an error, and rounded if it does not matter.

// Writes the bits of base +- distance, which is not known better than by `error`, but is not zero unless it
// is known; tells whether they are certain.
template <std::size_t limbs>
bool round_within(const Superaccumulator& base, const Fixed<limbs>& distance, bool negative,
                  const Fixed<limbs>& error, const Finish& how, std::uint64_t& bits) {
    const Finish itself{Finalize::itself, how.format, 1};
    const bool is_exact = error.is_zero();
    const auto rounded = [&](const Fixed<limbs>& x) {
        Superaccumulator total = base;
        for (std::size_t i = 0; i < limbs; ++i)
            total.add(x.limb(i), 64 * static_cast<int>(i) - Fixed<limbs>::fraction_bits, negative);
        if (x.is_zero() && !is_exact) total.add(1, Superaccumulator::lowest_exponent, negative);
        return total.rounded(itself);
    };
    bits = rounded(distance);
    return is_exact || (rounded(distance < error ? Fixed<limbs>{} : distance - error) == bits &&
                        rounded(distance + error) == bits);
}

// With an error in units of the last place.
template <std::size_t limbs>
bool round_result(const Superaccumulator& base, const Fixed<limbs>& distance, bool negative, u128 error,
                  const Finish& how, std::uint64_t& bits) {
    return round_within(base, distance, negative, Fixed<limbs>::units(error), how, bits);
}

}  // namespace samesum
