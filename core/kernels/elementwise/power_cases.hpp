// The special cases of x^y, by section 9.2.1 of IEEE 754-2019.
#pragma once

#include "kernels/elementwise/elementwise_functions.hpp"

namespace samesum::SAMESUM_ISA {

// What x^y is beside |x|^y.
struct PowerSigns {
    Longs is_one, is_nan, is_negative;

    static SAMESUM_INLINE PowerSigns of(Doubles x, Doubles y) {
        constexpr double whole = 0x1p52;  // doubles from there on are integers
        const Doubles size = magnitude(y), half = 0.5 * size;
        const Longs is_integer = (size >= whole) | ((size + whole) - whole == size);
        const Longs is_even = (size >= 2 * whole) | ((half + whole) - whole == half);
        const Longs below = reinterpret_cast<Longs>(x) < 0, is_finite = magnitude(x) < infinity;
        const Longs is_one = (y == 0) | (x == 1) | ((x == -1) & (y == y));
        return {is_one, below & is_finite & (x != 0) & ~is_integer & (y == y), below & is_integer & ~is_even};
    }

    SAMESUM_INLINE Doubles applied_to(Doubles power) const {
        const Doubles none = {};
        const Longs sign = is_negative & INT64_MIN;
        const Doubles with_sign = reinterpret_cast<Doubles>(reinterpret_cast<Longs>(power) ^ sign);
        return is_nan ? none + __builtin_nan("") : with_sign;
    }
};

// x, but |x| and where that is 0 or infinite, and where the power is 1 whatever the logarithm, 1.
SAMESUM_INLINE Doubles usual_base(Doubles x, const PowerSigns& signs) {
    const Doubles none = {}, size = magnitude(x);
    return ((size > 0) & (size < infinity) & ~signs.is_one) ? size : none + 1;
}

// y log |x| where the logarithm of usual bases is known.
SAMESUM_INLINE Doubles any_product(Doubles x, Doubles y, Doubles product, const PowerSigns& signs) {
    const Doubles none = {}, size = magnitude(x);
    const Doubles all = size == 0 ? y * -infinity : size < infinity ? product : y * size;
    const Doubles some = signs.is_one ? none : all;
    return x == x ? some : signs.is_one ? none : x;
}

}  // namespace samesum::SAMESUM_ISA
