// An exact product: an integer in 64-bit limbs times a power of two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "formats/format.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

class Product {
  public:
    // Times a whole number, which may be zero, times 2^exponent.
    void multiply(std::uint64_t factor, std::int64_t exponent, bool negative);
    void multiply_by_infinity(bool negative) {
        has_infinity_ = true;
        negative_ ^= negative;
    }
    void multiply_by_nan() { has_nan_ = true; }
    void merge(const Product& other);

    bool is_nan() const { return has_nan_ || (has_zero_ && has_infinity_); }

    // Rounded once to how.format, which is a float format.
    std::uint64_t rounded(const Finish& how) const;

    // What it is as bytes (docs/states.md). In brief, 512 leading bits of what is not exact, which do not
    // depend on the order of the factors but where the rest of the product is within 2^-380 of all or
    // nothing.
    void encode(bool is_brief, std::string& to) const;
    // Reads one product and moves on; false if there is none in this very form.
    static bool decode(const char*& from, const char* end, bool is_brief, Product& product);

  private:
    // Drops the least significant limbs but for `kept` of them, once no tie is possible.
    void shorten();

    // A tie has at most 54 significant bits, thus fewer than 54 factors that are no powers of two: as long as
    // a tie is possible nothing is dropped. Beyond, what is dropped is less than 2^-900 of the value.
    // (Lemma 29)
    static constexpr int tie_factors = 54, limbs = 64, kept = 16;

    bool is_well_formed(bool is_brief) const;

    std::array<std::uint64_t, limbs> limb_{1};  // from the least significant one; odd, as the factors are
    int used_ = 1, factors_ = 0;                // that are no powers of two, up to tie_factors
    std::int64_t exponent_ = 0;
    bool negative_ = false, inexact_ = false, has_zero_ = false, has_infinity_ = false, has_nan_ = false;
};

// Multiplies by the element of any format at p.
void multiply_element(Product& total, const void* p, Format format);

// The method that is always right: any format into any float format.
const Method& product_method(Format format);

// A product of many floats to 190 bits at most, which are nearly always enough to round it. (Lemma 28)

class NearProduct {
  public:
    NearProduct() = default;

    // Multiplies by n contiguous elements of a float format; false if one of them is zero, infinite or NaN,
    // and then the product is of no use any more.
    bool multiply(const void* x, std::size_t n, Format format);

    void multiply(const TripleLanes& lanes, std::size_t count);
    void multiply(const NearProduct& other);

    // Rounded once to a float format; nothing if that is in doubt, as ties are.
    std::optional<std::uint64_t> rounded(Format format) const;

  private:
    using Limbs = std::array<std::uint64_t, 3>;  // from the least significant one
    static constexpr double truncation = 0x1p-190;

    NearProduct(const Limbs& limbs, std::int64_t exponent, bool negative, double lost);

    // The first bit is set. Times 2^exponent they are the product but for up to `lost` of it.
    Limbs limb_{0, 0, std::uint64_t{1} << 63};
    std::int64_t exponent_ = -191;
    double lost_ = 0;
    bool negative_ = false;
};

}  // namespace samesum
