#include "exact/products/product.hpp"

#include <algorithm>
#include <bit>

#include "exact/elements.hpp"
#include "exact/states.hpp"
#include "exact/totals/leading.hpp"

namespace samesum {

// Exact products as bytes, and back.

namespace {

constexpr std::uint8_t negative_flag = 1, nan_flag = 2, infinity_flag = 4, zero_flag = 8, inexact_flag = 16;

// Flags, the number of factors that are no powers of two, that of limbs, and the exponent of the lowest bit.
constexpr std::size_t head_bytes = 11;
constexpr int brief_limbs = 8;
// More than any number of factors that a memory holds needs, and far from what overflows.
constexpr std::int64_t most_exponent = std::int64_t{1} << 60;

void put_head(std::uint8_t flags, int factors, int used, std::int64_t exponent, std::string& to) {
    for (const int byte : {static_cast<int>(flags), factors, used}) to.push_back(static_cast<char>(byte));
    put_word(static_cast<std::uint64_t>(exponent), to);
}

}  // namespace

void Product::encode(bool is_brief, std::string& to) const {
    const std::uint8_t sign = negative_ ? negative_flag : std::uint8_t{0};
    if (is_nan()) return put_head(nan_flag, 0, 0, 0, to);
    if (has_infinity_) return put_head(sign | infinity_flag, 0, 0, 0, to);
    if (has_zero_) return put_head(sign | zero_flag, 0, 0, 0, to);
    if (!inexact_ || !is_brief) {
        put_head(inexact_ ? sign | inexact_flag : sign, factors_, used_, exponent_, to);
        for (int i = 0; i < used_; ++i) put_word(limb_[static_cast<std::size_t>(i)], to);
        return;
    }
    const auto limb = [&](int i) { return limb_[static_cast<std::size_t>(i)]; };
    const int shift = std::countl_zero(limb(used_ - 1)), first = used_ - brief_limbs;
    put_head(sign | inexact_flag, factors_, brief_limbs, exponent_ + 64 * first - shift, to);
    for (int i = first; i < used_; ++i)
        put_word(shift == 0 ? limb(i) : limb(i) << shift | limb(i - 1) >> (64 - shift), to);
}

// Nothing that is multiplied later goes beyond the limbs.
bool Product::is_well_formed(bool is_brief) const {
    const bool is_long = factors_ == tie_factors;
    if (factors_ > tie_factors || std::abs(exponent_) > most_exponent) return false;
    if (used_ < 1 || used_ > (is_long ? kept : std::max(factors_, 1))) return false;
    const std::uint64_t top = limb_[static_cast<std::size_t>(used_ - 1)];
    if (inexact_) return is_long && top != 0 && (!is_brief || (used_ == brief_limbs && top >> 63 != 0));
    return top != 0 && (limb_[0] & 1) != 0 && (factors_ == 0) == (used_ == 1 && top == 1);
}

bool Product::decode(const char*& from, const char* end, bool is_brief, Product& product) {
    if (end - from < static_cast<std::ptrdiff_t>(head_bytes)) return false;
    const std::uint8_t flags = static_cast<std::uint8_t>(from[0]);
    const std::uint8_t kind = flags & static_cast<std::uint8_t>(~negative_flag);
    product = {};
    product.negative_ = (flags & negative_flag) != 0;
    product.factors_ = static_cast<unsigned char>(from[1]);
    product.used_ = static_cast<unsigned char>(from[2]);
    product.exponent_ = static_cast<std::int64_t>(word_at(from + 3));
    from += head_bytes;
    if (kind == nan_flag || kind == infinity_flag || kind == zero_flag) {
        if (product.factors_ != 0 || product.used_ != 0 || product.exponent_ != 0) return false;
        product.used_ = 1;
        product.has_nan_ = kind == nan_flag;
        product.has_infinity_ = kind == infinity_flag;
        product.has_zero_ = kind == zero_flag;
        return !(product.has_nan_ && product.negative_);
    }
    product.inexact_ = kind == inexact_flag;
    if (kind != 0 && kind != inexact_flag) return false;
    if (product.used_ > limbs || end - from < 8 * std::ptrdiff_t{product.used_}) return false;
    for (int i = 0; i < product.used_; ++i, from += 8)
        product.limb_[static_cast<std::size_t>(i)] = word_at(from);
    return product.is_well_formed(is_brief);
}

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
void multiply(Product& total, const void* p) {
    if constexpr (is_float(format)) {
        const Element x = float_at<format>(p);
        if (x.kind == Element::Kind::finite)
            total.multiply(x.significand, x.exponent, x.negative);
        else
            x.kind == Element::Kind::nan ? total.multiply_by_nan() : total.multiply_by_infinity(x.negative);
    } else {
        const auto x = bits_at<typename IntegerOf<format>::type>(p);
        const bool negative = x < 0;
        const std::uint64_t wide = static_cast<std::uint64_t>(x);
        total.multiply(negative ? 0 - wide : wide, 0, negative);
    }
}

}  // namespace

void multiply_element(Product& total, const void* p, Format format) {
    in_wide_format(format, [&]<Format f>() { multiply<f>(total, p); });
}

const Method& product_method(Format format) {
    return *in_wide_format(
        format, []<Format f>() { return &States<Product, f, take_each<Product, multiply<f>>>::method; });
}

namespace {

using Limbs = std::array<std::uint64_t, 3>;

std::uint64_t low_of(u128 x) { return static_cast<std::uint64_t>(x); }

// Shifts them until the first bit is set; returns by how many bits. They are not zero.
int normalise(Limbs& limb) {
    int shift = 0;
    for (; limb[2] == 0; shift += 64) limb = {0, limb[0], limb[1]};
    const int bits = std::countl_zero(limb[2]);
    if (bits == 0) return shift;
    limb[2] = limb[2] << bits | limb[1] >> (64 - bits);
    limb[1] = limb[1] << bits | limb[0] >> (64 - bits);
    limb[0] <<= bits;
    return shift + bits;
}

// significand * 2^place, with what is below one left out.
Limbs placed(std::uint64_t significand, std::int64_t place) {
    if (place <= -64) return {};
    if (place < 0) return {significand >> -place, 0, 0};
    const std::size_t first = static_cast<std::size_t>(place / 64);
    const u128 bits = u128{significand} << place % 64;
    Limbs limb{};
    limb[first] = low_of(bits);
    if (first + 1 < limb.size()) limb[first + 1] = low_of(bits >> 64);
    return limb;
}

void add(Limbs& to, const Limbs& limb, bool subtracts) {
    std::uint64_t carry = subtracts ? 1 : 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const u128 sum = u128{to[i]} + (subtracts ? ~limb[i] : limb[i]) + carry;
        to[i] = low_of(sum);
        carry = low_of(sum >> 64);
    }
}

Element element_at(const char* p, Format format) {
    return in_float_format(format, [=]<Format f>() { return float_at<f>(p); });
}

}  // namespace

NearProduct::NearProduct(const Limbs& limbs, std::int64_t exponent, bool negative, double lost)
    : limb_(limbs), lost_(lost), negative_(negative) {
    exponent_ = exponent - normalise(limb_);
}

bool NearProduct::multiply(const void* x, std::size_t n, Format format) {
    const char* p = static_cast<const char*>(x);
    for (std::size_t i = 0; i < n; ++i, p += size_of(format)) {
        const Element e = element_at(p, format);
        if (e.kind != Element::Kind::finite || e.significand == 0) return false;
        multiply(NearProduct({0, 0, e.significand}, e.exponent - 128, e.negative, 0));
    }
    return true;
}

void NearProduct::multiply(const TripleLanes& lanes, std::size_t count) {
    // Of the last bit of the first word: room for a sum that is a bit longer.
    constexpr std::int64_t place = 192 - 2 - 52;
    for (std::size_t k = 0; k < count; ++k) {
        const Element first = float_at<Format::f64>(lanes.hi + k);
        Limbs limbs = placed(first.significand, place);
        for (const double* word : {lanes.mid + k, lanes.lo + k}) {
            const Element e = float_at<Format::f64>(word);
            add(limbs, placed(e.significand, place + e.exponent - first.exponent),
                e.negative != first.negative);
        }
        multiply(
            NearProduct(limbs, lanes.exponent[k] + first.exponent - place, first.negative, 2 * truncation));
    }
    lost_ += TripleLanes::lost;
}

// What is lost of both adds up, but for the product of the two, and a bit is lost again.
void NearProduct::multiply(const NearProduct& other) {
    std::array<std::uint64_t, 6> all{};
    for (std::size_t i = 0; i < 3; ++i) {
        u128 carry = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            carry += u128{limb_[i]} * other.limb_[j] + all[i + j];
            all[i + j] = low_of(carry);
            carry >>= 64;
        }
        all[i + 3] = low_of(carry);
    }
    const bool shifts = all[5] >> 63 == 0;
    for (std::size_t i = 0; i < 3; ++i) limb_[i] = shifts ? all[i + 3] << 1 | all[i + 2] >> 63 : all[i + 3];
    exponent_ += other.exponent_ + 192 - (shifts ? 1 : 0);
    lost_ += other.lost_ + 2 * truncation;
    negative_ ^= other.negative_;
}

// It is not if the first limb is certain, and that there is something below it.
std::optional<std::uint64_t> NearProduct::rounded(Format format) const {
    constexpr double most = 0x1p-80;
    if (lost_ > most) return std::nullopt;
    // A little more: products of what factors lost, and what the sum of it rounded off.
    const double all = lost_ * (1 + 0x1p-20);
    const u128 below = u128{limb_[1]} << 64 | limb_[0], lost = static_cast<u128>(all * 0x1p192) + 1;
    if (below <= lost || below + lost < lost) return std::nullopt;
    // Far beyond every format in either direction, but not beyond an int.
    constexpr std::int64_t far = 1 << 20;
    const std::int64_t exponent = std::clamp(exponent_ + 128, -far, far);
    return round_to_format({limb_[2], static_cast<int>(exponent), true}, negative_, format);
}

}  // namespace samesum
