#include "exact/exponentials/exponential_total_methods.hpp"

#include <cmath>

#include "exact/states.hpp"

namespace samesum {

namespace {

template <Format format>
using Kept = std::conditional_t<format == Format::i64, std::int64_t,
                                std::conditional_t<format == Format::u64, std::uint64_t, double>>;

template <Format format>
void take(ExponentialTotal<Kept<format>>& total, const void* p) {
    if constexpr (is_float(format)) {
        const double x = double_at<format>(p);
        if (std::isfinite(x)) return total.add(x);
        if (std::isnan(x)) return total.add_nan();
        if (x > 0) total.add_infinity();
    } else {
        total.add(static_cast<Kept<format>>(bits_at<typename IntegerOf<format>::type>(p)));
    }
}

}  // namespace

const Method& exponential_total_method(Format in) {
    return *in_wide_format(in, []<Format f>() {
        using State = ExponentialTotal<Kept<f>>;
        return &States<State, f, take_each<State, take<f>>>::method;
    });
}

}  // namespace samesum
