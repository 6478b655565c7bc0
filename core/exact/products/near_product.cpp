#include <algorithm>
#include <bit>

#include "exact/elements.hpp"
#include "exact/products/product.hpp"
#include "exact/totals/leading.hpp"

namespace samesum {

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
