#include "exact/products/product.hpp"

#include <algorithm>
#include <bit>

#include "exact/elements.hpp"
#include "exact/states.hpp"
#include "exact/totals/leading.hpp"

namespace samesum {

void Product::multiply(std::uint64_t factor, std::int64_t exponent, bool negative) {
    negative_ ^= negative;
    if (factor == 0) {
        has_zero_ = true;
        return;
    }
    const int twos = std::countr_zero(factor);
    factor >>= twos;
    exponent_ += exponent + twos;
    if (factor == 1) return;
    factors_ = std::min(factors_ + 1, tie_factors);
    std::uint64_t carry = 0;
    for (int i = 0; i < used_; ++i) {
        std::uint64_t& limb = limb_[static_cast<std::size_t>(i)];
        const u128 product = u128{limb} * factor + carry;
        limb = static_cast<std::uint64_t>(product);
        carry = static_cast<std::uint64_t>(product >> 64);
    }
    if (carry != 0) limb_[static_cast<std::size_t>(used_++)] = carry;
    shorten();
}

void Product::shorten() {
    if (factors_ < tie_factors || used_ <= kept) return;
    const int dropped = used_ - kept;
    inexact_ = true;  // more significant bits than any format has are below
    std::copy(limb_.begin() + dropped, limb_.begin() + used_, limb_.begin());
    exponent_ += 64 * dropped;
    used_ = kept;
}

void Product::merge(const Product& other) {
    std::array<std::uint64_t, 2 * limbs> product{};
    for (int i = 0; i < used_; ++i) {
        std::uint64_t carry = 0;
        for (int j = 0; j < other.used_; ++j) {
            std::uint64_t& limb = product[static_cast<std::size_t>(i + j)];
            const u128 sum =
                u128{limb_[static_cast<std::size_t>(i)]} * other.limb_[static_cast<std::size_t>(j)] + limb +
                carry;
            limb = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
        product[static_cast<std::size_t>(i + other.used_)] = carry;
    }
    used_ += other.used_;
    while (product[static_cast<std::size_t>(used_ - 1)] == 0) --used_;
    factors_ = std::min(factors_ + other.factors_, tie_factors);
    const int dropped = factors_ < tie_factors ? 0 : std::max(0, used_ - kept);
    inexact_ |= dropped > 0;
    used_ -= dropped;
    std::copy_n(product.begin() + dropped, used_, limb_.begin());
    exponent_ += other.exponent_ + 64 * dropped;
    negative_ ^= other.negative_;
    inexact_ |= other.inexact_;
    has_zero_ |= other.has_zero_;
    has_infinity_ |= other.has_infinity_;
    has_nan_ |= other.has_nan_;
}

std::uint64_t Product::rounded(const Finish& how) const {
    const std::uint64_t sign = negative_ ? sign_bit(how.format) : 0;
    if (is_nan()) return canonical_nan(how.format);
    if (has_infinity_) return sign | infinity_bits(how.format);
    if (has_zero_) return sign;
    const std::uint64_t top = limb_[static_cast<std::size_t>(used_ - 1)];
    const std::uint64_t next = used_ > 1 ? limb_[static_cast<std::size_t>(used_ - 2)] : 0;
    const int shift = std::countl_zero(top);
    const std::uint64_t below = shift > 0 ? next << shift : next;
    Leading value{top << shift, 0, inexact_ || below != 0};
    if (shift > 0) value.significand |= next >> (64 - shift);
    for (int i = 0; i < used_ - 2 && !value.sticky; ++i)
        value.sticky = limb_[static_cast<std::size_t>(i)] != 0;
    // Far beyond every format in either direction, but not beyond an int.
    constexpr std::int64_t far = 1 << 20;
    const std::int64_t exponent = exponent_ + 64 * (used_ - 1) - shift;
    value.exponent = static_cast<int>(std::clamp(exponent, -far, far));
    return round_to_format(value, negative_, how.format);
}

namespace {

template <Format format>
void multiply_float(Product& total, const void* p) {
    const Element x = float_at<format>(p);
    if (x.kind == Element::Kind::finite)
        total.multiply(x.significand, x.exponent, x.negative);
    else
        x.kind == Element::Kind::nan ? total.multiply_by_nan() : total.multiply_by_infinity(x.negative);
}

template <class Integer>
void multiply_integer(Product& total, const void* p) {
    const Integer x = bits_at<Integer>(p);
    const bool negative = x < 0;
    const std::uint64_t wide = static_cast<std::uint64_t>(x);
    total.multiply(negative ? 0 - wide : wide, 0, negative);
}

struct Row {
    void (*multiply)(Product& total, const void* p);
    Method method;
};

template <Format format, void (*multiply)(Product&, const void*)>
constexpr Row row{multiply, States<Product, format, take_each<Product, multiply>>::method};

const Row& row_of(Format format) {
    static constexpr Row rows[format_count] = {
        row<Format::f16, multiply_float<Format::f16>>,
        row<Format::bf16, multiply_float<Format::bf16>>,
        row<Format::f32, multiply_float<Format::f32>>,
        row<Format::f64, multiply_float<Format::f64>>,
        row<Format::i8, multiply_integer<std::int8_t>>,
        row<Format::i16, multiply_integer<std::int16_t>>,
        row<Format::i32, multiply_integer<std::int32_t>>,
        row<Format::i64, multiply_integer<std::int64_t>>,
        row<Format::u8, multiply_integer<std::uint8_t>>,
        row<Format::u16, multiply_integer<std::uint16_t>>,
        row<Format::u32, multiply_integer<std::uint32_t>>,
        row<Format::u64, multiply_integer<std::uint64_t>>,
        row<Format::boolean, multiply_integer<std::uint8_t>>,
    };
    return rows[static_cast<std::size_t>(format)];
}

}  // namespace

void multiply_element(Product& total, const void* p, Format format) { row_of(format).multiply(total, p); }

const Method& product_method(Format format) { return row_of(format).method; }

}  // namespace samesum
