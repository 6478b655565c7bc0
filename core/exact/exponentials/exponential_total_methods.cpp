#include "exact/exponentials/exponential_total_methods.hpp"

#include <cmath>

#include "exact/states.hpp"

namespace samesum {

namespace {

template <Format format>
void take_float(ExponentialTotal<double>& total, const void* p) {
    const double x = double_at<format>(p);
    if (std::isfinite(x)) return total.add(x);
    if (std::isnan(x)) return total.add_nan();
    if (x > 0) total.add_infinity();
}

template <class Integer>
using Kept = std::conditional_t<(sizeof(Integer) < 8), double, Integer>;

template <class Integer>
void take_integer(ExponentialTotal<Kept<Integer>>& total, const void* p) {
    total.add(static_cast<Kept<Integer>>(bits_at<Integer>(p)));
}

template <Format format, class Value, void (*take)(ExponentialTotal<Value>&, const void*)>
constexpr Method method =
    States<ExponentialTotal<Value>, format, take_each<ExponentialTotal<Value>, take>>::method;

template <Format format>
constexpr Method of_floats = method<format, double, take_float<format>>;

template <Format format, class Integer>
constexpr Method of_integers = method<format, Kept<Integer>, take_integer<Integer>>;

}  // namespace

const Method& exponential_total_method(Format in) {
    static constexpr Method methods[format_count] = {
        of_floats<Format::f16>,
        of_floats<Format::bf16>,
        of_floats<Format::f32>,
        of_floats<Format::f64>,
        of_integers<Format::i8, std::int8_t>,
        of_integers<Format::i16, std::int16_t>,
        of_integers<Format::i32, std::int32_t>,
        of_integers<Format::i64, std::int64_t>,
        of_integers<Format::u8, std::uint8_t>,
        of_integers<Format::u16, std::uint16_t>,
        of_integers<Format::u32, std::uint32_t>,
        of_integers<Format::u64, std::uint64_t>,
        of_integers<Format::boolean, std::uint8_t>,
    };
    return methods[static_cast<std::size_t>(in)];
}

}  // namespace samesum
