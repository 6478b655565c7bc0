// Results that are known up to an error, and rounded if it does not matter.
#pragma once

#include "exact/fixed.hpp"
#include "exact/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

// Writes the bits of base +- distance, which is not known better than by `error` units of its last place, but
// is not zero unless it is known; tells whether they are certain.
template <std::size_t limbs>
bool round_result(const Superaccumulator& base, const Fixed<limbs>& distance, bool negative, u128 error,
                  const Finish& how, std::uint64_t& bits) {
    const Finish itself{Finalize::itself, how.format, 1};
    const auto rounded = [&](const Fixed<limbs>& x) {
        Superaccumulator total = base;
        for (std::size_t i = 0; i < limbs; ++i)
            total.add(x.limb(i), 64 * static_cast<int>(i) - Fixed<limbs>::fraction_bits, negative);
        if (x.is_zero() && error > 0) total.add(1, Superaccumulator::lowest_exponent, negative);
        return total.rounded(itself);
    };
    const Fixed<limbs> off = Fixed<limbs>::units(error);
    bits = rounded(distance);
    return error == 0 || (rounded(distance < off ? Fixed<limbs>{} : distance - off) == bits &&
                          rounded(distance + off) == bits);
}

}  // namespace samesum
