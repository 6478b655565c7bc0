// Results that are known up to an error, and rounded if it does not matter.
#pragma once

#include "exact/exponentials/fixed.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

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
