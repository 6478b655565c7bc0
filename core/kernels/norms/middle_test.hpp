// Whether results that are off by a constant at most round as the exact ones do, some vectors at a time.
#pragma once

#include <algorithm>

#include "kernels/vectors/rounding.hpp"

namespace samesum::SAMESUM_ISA {

// Into float32: both ends are rounded.
template <Format format>
class MiddleTest {
    const Doubles error_;
    Words different_ = {};

  public:
    explicit SAMESUM_INLINE MiddleTest(double error) : error_(Doubles{} + error * 1.01) {}

    // less(e) is the result less e.
    template <class Less>
    SAMESUM_INLINE Words take(const Less& less) {
        const Words low = Rounding<format>::of_number(less(error_)),
                    high = Rounding<format>::of_number(less(-error_));
        different_ |= low ^ high;
        return low;
    }
    SAMESUM_INLINE bool is_any_in_doubt() const { return any_bit(different_); }
};

// Into 16 bits by way of float32, which holds the middles of two such numbers. The bits below the last place,
// at the top of a word, count from the middle: s units of the float f are |s f| times a power of two, from
// half the distance to all of it. The float is off by half a unit of its own, which is half of the distance
// at most: a result next to a middle is rounded to it.
template <Format format>
class NarrowMiddleTest {
    static constexpr int shift = 32 - (24 - traits_of(format).precision);
    // Of the distance, with a factor of two for numbers beside a power of two, on whose other side the
    // middles are twice as near.
    static constexpr double unit_inverse = __builtin_ldexp(1.0, shift + 26);
    // Numbers that are subnormal in the format, or whose products are in float32, are in doubt.
    static constexpr double least_product =
        std::max(__builtin_ldexp(1.0, traits_of(format).min_exponent + 31), 0x1p-60);

    const Floats limit_;
    Floats nearest_ = Floats{} + __builtin_huge_valf();

  public:
    explicit SAMESUM_INLINE NarrowMiddleTest(double error)
        : limit_(Floats{} + static_cast<float>(std::max(error * unit_inverse, least_product) * 1.01)) {}

    template <class Less>
    SAMESUM_INLINE Words take(const Less& less) {
        const Floats rounded = narrowed(less(Doubles{}));
        const Words from_middle = (reinterpret_cast<Words>(rounded) << shift) + 0x80000000u;
        const Floats steps = __builtin_convertvector(reinterpret_cast<Ints>(from_middle), Floats);
        const Floats distance = samesum::SAMESUM_ISA::magnitude(steps * rounded);
        nearest_ = distance < nearest_ ? distance : nearest_;
        return Rounding<format>::of_float(rounded);
    }
    SAMESUM_INLINE bool is_any_in_doubt() const {
        return any_bit(reinterpret_cast<Words>(nearest_ <= limit_));
    }
};
template <>
class MiddleTest<Format::f16> : public NarrowMiddleTest<Format::f16> {
    using NarrowMiddleTest::NarrowMiddleTest;
};
template <>
class MiddleTest<Format::bf16> : public NarrowMiddleTest<Format::bf16> {
    using NarrowMiddleTest::NarrowMiddleTest;
};

}  // namespace samesum::SAMESUM_ISA
