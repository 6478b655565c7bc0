#include "exact/exponentials/word_exponential.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "exact/elements.hpp"
#include "exact/exponentials/fixed.hpp"

namespace samesum {

void WordWindow::move_to(std::int64_t top) {
    const std::int64_t up = is_empty_ ? words : top - top_;
    for (std::int64_t i = 0; i < words; ++i)
        word_[static_cast<std::size_t>(i)] = i + up < words ? word_[static_cast<std::size_t>(i + up)] : 0;
    top_ = top;
    is_empty_ = false;
}

void WordWindow::merge(const WordWindow& other) {
    if (other.is_empty_) return;
    raise(other.top_);
    const std::int64_t down = top_ - other.top_;
    for (std::int64_t i = down; i < words; ++i)
        word_[static_cast<std::size_t>(i - down)] += other.word_[static_cast<std::size_t>(i)];
}

namespace {

constexpr int fraction_bits = 80, chunk_bits = 8;
constexpr std::size_t entries = std::size_t{1} << chunk_bits;

// The upper half of a product, up to 8 units below it.
template <std::size_t n>
std::array<std::uint64_t, n> upper_product(const std::array<std::uint64_t, n>& a,
                                           const std::array<std::uint64_t, n>& b) {
    std::array<std::uint64_t, 2 * n> product{};
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = n - 1 - i; j < n; ++j) {
            const u128 sum = u128{a[i]} * b[j] + product[i + j] + carry;
            product[i + j] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
        product[i + n] = carry;
    }
    std::array<std::uint64_t, n> upper;
    std::copy_n(product.begin() + n, n, upper.begin());
    return upper;
}

// Shifted left by less than 64 bits.
template <std::size_t n>
void shift_left(std::array<std::uint64_t, n>& limb, int shift) {
    if (shift == 0) return;
    for (std::size_t i = n; i-- > 1;) limb[i] = limb[i] << shift | limb[i - 1] >> (64 - shift);
    limb[0] <<= shift;
}

// e^t or e^-t for a small t by so many terms of the series.
template <std::size_t limbs>
Fixed<limbs> small_exponential(const Fixed<limbs>& t, bool negative, std::size_t terms) {
    const auto& c = Exponential<limbs>::inverse_factorials;
    Fixed<limbs> power = c[terms];
    for (std::size_t n = terms; n-- > 0;) power = negative ? c[n] - t * power : c[n] + t * power;
    return power;
}

// Leading limbs of the powers from which the tables are made: each squaring doubles the error.
struct Long {
    static constexpr std::size_t count = 8;
    std::array<std::uint64_t, count> limb;
    i128 exponent;

    friend Long operator*(const Long& a, const Long& b) {
        Long product{upper_product(a.limb, b.limb), a.exponent + b.exponent};
        const int shift = std::countl_zero(product.limb.back());
        shift_left(product.limb, shift);
        product.exponent -= shift;
        return product;
    }
};

// e^(2^-16) or e^(-2^-16).
Long first_power(bool negative) {
    const Fixed<9> power = small_exponential(Fixed<9>{1} >> 16, negative, 30);
    const Fixed<9> fraction = power >> (negative ? 0 : 1);
    Long first;
    for (std::size_t i = 0; i < Long::count; ++i) first.limb[i] = fraction.limb(i);
    first.exponent = negative ? 0 : 1;
    return first;
}

// Powers of e for each value of each 8 bits of |x|: of two chunks of the fraction and of the eight of a whole
// number. Rounded down.
class Tables {
  public:
    static const Tables& of(bool negative) {
        static const std::array<std::unique_ptr<const Tables>, 2> both{
            std::unique_ptr<const Tables>(new Tables(false)),
            std::unique_ptr<const Tables>(new Tables(true))};
        return *both[negative];
    }

    const LeadingLimbs& whole(std::size_t chunk, std::size_t value) const { return row_[chunk + 2][value]; }
    const LeadingLimbs& coarse(std::size_t value) const { return row_[1][value]; }
    const LeadingLimbs& fine(std::size_t value) const { return row_[0][value]; }

  private:
    explicit Tables(bool negative) {
        Long base = first_power(negative);
        for (auto& row : row_) {
            Long power{{}, 1};
            power.limb.back() = std::uint64_t{1} << 63;
            for (LeadingLimbs& each : row) {
                std::copy_n(power.limb.end() - LeadingLimbs::count, LeadingLimbs::count, each.limb.begin());
                each.exponent = power.exponent;
                power = power * base;
            }
            base = power;  // 2^8 times as much
        }
    }

    std::array<std::array<LeadingLimbs, entries>, 10> row_;
};

using Limbs = std::array<std::uint64_t, LeadingLimbs::count>;

// Half of the coefficients 2^(-16 k) / k! of the series of e^t in u = 2^16 t < 1, and their complements.
constexpr std::size_t terms = 15;
constexpr std::array<std::array<Limbs, terms + 1>, 2> coefficients = [] {
    std::array<std::array<Limbs, terms + 1>, 2> c{};
    Fixed<LeadingLimbs::count + 1> x = Fixed<LeadingLimbs::count + 1>{1} >> 1;
    for (std::size_t k = 0; k <= terms; ++k) {
        for (std::size_t i = 0; i < LeadingLimbs::count; ++i) {
            c[0][k][i] = x.limb(i);
            c[1][k][i] = ~x.limb(i);
        }
        x = (x >> 16) / (k + 1);
    }
    return c;
}();

// sum = coefficient +- u * sum for coefficient k, of which the first 16 k bits are zero: c - x is the
// complement of x added to that of c.
template <std::size_t k>
inline void step(std::uint64_t u, const std::array<Limbs, terms + 1>& c, std::uint64_t mask, Limbs& sum) {
    constexpr std::size_t before = LeadingLimbs::count - 16 * (k + 1) / 64,
                          used = LeadingLimbs::count - 16 * k / 64;
    std::uint64_t carry = static_cast<std::uint64_t>(u128{sum[0]} * u >> 64);
    for (std::size_t i = 0; i < used; ++i) {
        const u128 part = (i + 1 < before ? u128{sum[i + 1]} * u : 0) + carry + c[k][i];
        sum[i] = static_cast<std::uint64_t>(part) ^ mask;
        carry = static_cast<std::uint64_t>(part >> 64);
    }
}

// e^t or e^-t for t = 2^-80 u.
LeadingLimbs fraction_exponential(std::uint64_t u, bool negative) {
    const std::uint64_t mask = 0 - std::uint64_t{negative};
    const auto& c = coefficients[negative];
    LeadingLimbs result{{}, 1};
    result.limb[0] = coefficients[0][terms][0];
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (step<terms - 1 - i>(u, c, mask, result.limb), ...);
    }(std::make_index_sequence<terms>{});
    return result;
}

void multiply(LeadingLimbs& x, const LeadingLimbs& by) {
    x.limb = upper_product(x.limb, by.limb);
    x.exponent += by.exponent;
}

// Of |x| < 2^-27.
LeadingLimbs tiny_exponential(const Magnitude& x) {
    using Number = Fixed<LeadingLimbs::count + 1>;
    const int shift = x.exponent + Number::fraction_bits;
    const Number unit = Number::units(x.significand);
    const Number t = shift < 0 ? (shift > -64 ? unit >> -shift : Number{}) : unit << shift;
    // t < 2^-zeros: what the series leaves out is less than 2^-256.
    const int zeros = -x.exponent - std::bit_width(x.significand);
    const Number power =
        small_exponential(t, x.negative, static_cast<std::size_t>(LeadingLimbs::bits / zeros) + 1);
    const bool is_fraction = power.whole() == 0;
    const Number fraction = is_fraction ? power : power >> 1;
    LeadingLimbs result{{}, is_fraction ? 0 : 1};
    for (std::size_t i = 0; i < LeadingLimbs::count; ++i) result.limb[i] = fraction.limb(i);
    return result;
}

}  // namespace

Magnitude Magnitude::of(double x) {
    const Element e = float_at<Format::f64>(&x);
    Magnitude m{0,         0, e.significand, e.exponent, e.exponent < -fraction_bits && e.significand != 0,
                e.negative};
    if (m.is_tiny || e.significand == 0) return m;
    if (e.exponent >= 0) {
        m.whole = e.significand << e.exponent;
        return m;
    }
    constexpr u128 all = (u128{1} << fraction_bits) - 1;
    m.whole = e.exponent > -64 ? e.significand >> -e.exponent : 0;
    m.fraction = u128{e.significand} << (fraction_bits + e.exponent) & all;
    return m;
}

Magnitude Magnitude::of(std::int64_t x) {
    const std::uint64_t bits = static_cast<std::uint64_t>(x);
    return {x < 0 ? 0 - bits : bits, 0, 0, 0, false, x < 0};
}

Magnitude Magnitude::of(std::uint64_t x) { return {x, 0, 0, 0, false, false}; }

LeadingLimbs exponential_limbs(const Magnitude& x) {
    if (x.is_tiny) return tiny_exponential(x);
    const Tables& tables = Tables::of(x.negative);
    const std::uint64_t low = static_cast<std::uint64_t>(x.fraction);
    const std::size_t high = static_cast<std::size_t>(x.fraction >> 64);
    LeadingLimbs power = low != 0 ? fraction_exponential(low, x.negative) : tables.fine(0);
    if (high != 0) {
        LeadingLimbs part = tables.coarse(high / entries);
        multiply(part, tables.fine(high % entries));
        multiply(power, part);
    }
    std::size_t chunk = 0;
    for (std::uint64_t rest = x.whole; rest != 0; rest /= entries, ++chunk)
        multiply(power, tables.whole(chunk, rest % entries));
    return power;
}

WordExponential::WordExponential(const LeadingLimbs& x) {
    const int zeros = std::countl_zero(x.limb.back());
    const i128 exponent = x.exponent - zeros;  // the leading bit counts 2^(exponent - 1)
    top = static_cast<std::int64_t>((exponent - 1) >> 6);
    const int right = static_cast<int>((i128{top} + 1) * 64 - exponent) - zeros;
    word[0] = 0;
    std::copy_n(x.limb.begin(), LeadingLimbs::count, word.begin() + 1);
    if (right <= 0) shift_left(word, -right);
    for (std::size_t i = 0; right > 0 && i < count; ++i)
        word[i] = word[i] >> right | (i + 1 < count ? word[i + 1] << (64 - right) : 0);
}

}  // namespace samesum
