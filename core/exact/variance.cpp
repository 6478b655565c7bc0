#include "exact/variance.hpp"

#include <cmath>

#include "exact/dyadic.hpp"

namespace samesum {

std::uint64_t rounded_variance(const Superaccumulator& sum, const Superaccumulator& squares,
                               const Finish& how) {
    if (!sum.is_finite() || how.count == 0) return canonical_nan(how.format);
    const Dyadic total(sum), n(static_cast<std::uint64_t>(how.count), 0, false);
    const Dyadic spread = n * Dyadic(squares) - total * total, divisor = n - Dyadic(how.correction);
    if (divisor.sign() <= 0) return canonical_nan(how.format);
    const Dyadic times = n * divisor;
    const bool is_root = how.finalize == Finalize::root;
    const auto compare = [&](const Dyadic& value) {
        const Dyadic power = is_root ? value * value : value;
        return (spread - power * times).sign();
    };
    const double quotient = spread.near() / times.near(), size = is_root ? std::sqrt(quotient) : quotient;
    return nearest(how.format, compare, codes_about(size, size * 0x1p-48, how.format));
}

}  // namespace samesum
