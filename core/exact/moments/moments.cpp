#include "exact/moments/moments.hpp"

#include "exact/moments/dyadic.hpp"

namespace samesum {

namespace {

// Of two's complement.
Dyadic dyadic_of(const WholeWords& x) {
    const Dyadic words =
        Dyadic(x.word[0], 0, false) + Dyadic(x.word[1], 64, false) + Dyadic(x.word[2], 128, false);
    return x.word[2] >> 63 != 0 ? words - Dyadic(1, 192, false) : words;
}

bool is_central(const Moment& how) { return how.kind != MomentKind::root_mean_square; }

std::uint64_t rounded(const Dyadic& sum, const Dyadic& squares, const Moment& how) {
    const Dyadic n(static_cast<std::uint64_t>(how.count), 0, false);
    const Dyadic divisor = is_central(how) ? n - Dyadic(how.correction) : n;
    if (how.count <= 0 || divisor.sign() <= 0) return canonical_nan(how.format);
    const Dyadic above = is_central(how) ? n * squares - sum * sum : squares,
                 below = is_central(how) ? n * divisor : n;
    // Such sums are those of no set of elements.
    if (above.sign() < 0) return canonical_nan(how.format);
    const bool is_root = how.kind != MomentKind::variance;
    const auto compare = [&](const Dyadic& value) {
        const Dyadic power = is_root ? value * value : value;
        return (above - power * below).sign();
    };
    const WideNumber quotient = above.leading() * inverse(below.leading());
    const Estimate near{is_root && !quotient.is_zero() ? root(quotient) : quotient, u128{1} << 10};
    return nearest(how.format, compare, near);
}

}  // namespace

std::uint64_t rounded_moment(const Superaccumulator& sum, const Superaccumulator& squares,
                             const Moment& how) {
    if (!is_central(how) && !squares.is_finite() && how.count > 0) return squares.special_bits(how.format);
    if (!sum.is_finite() || !squares.is_finite()) return canonical_nan(how.format);
    return rounded(Dyadic(sum), Dyadic(squares), how);
}

std::uint64_t rounded_moment(const WholeWords& sum, const WholeWords& squares, const Moment& how) {
    return rounded(dyadic_of(sum), dyadic_of(squares), how);
}

}  // namespace samesum
