#include "exact/elements.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

namespace {

// An infinity or a NaN among n elements.
template <Format format>
bool has_special(const char* p, std::size_t n) {
    constexpr FloatTraits traits = traits_of(format);
    using Bits = std::conditional_t<size_of(format) == 2, std::uint16_t,
                                    std::conditional_t<size_of(format) == 4, std::uint32_t, std::uint64_t>>;
    constexpr Bits field = static_cast<Bits>(traits.overflow);
    Bits found = 0;
    for (std::size_t i = 0; i < n; ++i) found |= (bits_at<Bits>(p + i * sizeof(Bits)) & field) == field;
    return found != 0;
}

template <Format format>
void add_specials_of(Specials& total, const char* a, const char* b, std::size_t n) {
    if (total.is_nan() || (!has_special<format>(a, n) && !has_special<format>(b, n))) return;
    using Kind = Element::Kind;
    for (std::size_t i = 0; i < n; ++i) {
        const Element x = float_at<format>(a + i * size_of(format)),
                      y = float_at<format>(b + i * size_of(format));
        if (x.kind == Kind::finite && y.kind == Kind::finite) continue;
        const auto is_zero = [](const Element& e) { return e.kind == Kind::finite && e.significand == 0; };
        if (x.kind == Kind::nan || y.kind == Kind::nan || is_zero(x) || is_zero(y))
            total.add_nan();
        else
            total.add_infinity(x.negative != y.negative);
    }
}

template <Format format>
void add_products_of(Superaccumulator& total, const char* a, const char* b, std::size_t n) {
    add_specials_of<format>(total, a, b, n);
    if (!total.is_finite()) return;
    constexpr std::size_t most = Superaccumulator::most_additions / 2;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % most == 0) total.make_room(static_cast<std::uint32_t>(2 * std::min(most, n - i)));
        const Element x = float_at<format>(a + i * size_of(format)),
                      y = float_at<format>(b + i * size_of(format));
        const bool negative = x.negative != y.negative;
        if constexpr (format == Format::f64)
            total.add_wide_within(u128{x.significand} * y.significand, x.exponent + y.exponent, negative);
        else
            total.add_within(x.significand * y.significand, x.exponent + y.exponent, negative);
    }
}

}  // namespace

void add_products(Superaccumulator& total, const char* a, const char* b, std::size_t n, Format format) {
    in_float_format(format, [&]<Format f>() { add_products_of<f>(total, a, b, n); });
}

}  // namespace samesum
