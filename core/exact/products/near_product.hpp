// A product of many floats to 190 bits at most, which are nearly always enough to round it. (Lemma 28)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "formats/format.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

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
