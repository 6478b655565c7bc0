#include "exact/exponentials/exponential_methods.hpp"

#include <type_traits>

#include "exact/exponentials/exponential_state.hpp"
#include "exact/states.hpp"

namespace samesum {

namespace {

constexpr std::size_t short_limbs = 4, long_limbs = 21;

template <class Integer>
using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;

template <Format format, class State>
void take_float(State& state, const void* p) {
    const Element x = float_at<format>(p);
    if (x.kind == Element::Kind::nan) return state.add_nan();
    if (x.kind == Element::Kind::infinity) return state.add_infinity(x.negative);
    const double size = std::ldexp(static_cast<double>(x.significand), x.exponent);
    state.add(x.negative ? -size : size);
}

template <class Integer, class State>
void take_integer(State& state, const void* p) {
    state.add(bits_at<Integer>(p));
}

// Those that are not certain go to the next method.
template <class State>
std::size_t finish_certain(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) {
        std::uint64_t bits;
        failed[j] = static_cast<const State*>(tile)[j].round(how, bits) ? 0 : 1;
        failures += failed[j];
        store_bits(out, j, bits, size_of(how.format));
    }
    return failures;
}

template <std::size_t limbs, Format format>
struct OfFloats {
    using State = ExponentialState<limbs, double>;
    static constexpr Method method =
        States<State, format, take_each<State, take_float<format, State>>>::method;
};

template <std::size_t limbs, Format format, class Integer>
struct OfIntegers {
    using State = ExponentialState<limbs, Wide<Integer>>;
    static constexpr Method method =
        States<State, format, take_each<State, take_integer<Integer, State>>>::method;
};

template <class Methods>
constexpr Method certain() {
    Method method = Methods::method;
    method.finish = finish_certain<typename Methods::State>;
    return method;
}

template <std::size_t limbs, bool last>
constexpr auto all_methods = [] {
    const auto of = []<class Methods>(Methods) { return last ? Methods::method : certain<Methods>(); };
    return std::array<Method, 12>{of(OfFloats<limbs, Format::f16>{}),
                                  of(OfFloats<limbs, Format::bf16>{}),
                                  of(OfFloats<limbs, Format::f32>{}),
                                  of(OfFloats<limbs, Format::f64>{}),
                                  of(OfIntegers<limbs, Format::i8, std::int8_t>{}),
                                  of(OfIntegers<limbs, Format::i16, std::int16_t>{}),
                                  of(OfIntegers<limbs, Format::i32, std::int32_t>{}),
                                  of(OfIntegers<limbs, Format::i64, std::int64_t>{}),
                                  of(OfIntegers<limbs, Format::u8, std::uint8_t>{}),
                                  of(OfIntegers<limbs, Format::u16, std::uint16_t>{}),
                                  of(OfIntegers<limbs, Format::u32, std::uint32_t>{}),
                                  of(OfIntegers<limbs, Format::u64, std::uint64_t>{})};
}();

std::size_t index_of(Format in) { return static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in); }

}  // namespace

const Method& exponential_method(Format in) { return all_methods<short_limbs, false>[index_of(in)]; }

const Method& long_exponential_method(Format in) { return all_methods<long_limbs, true>[index_of(in)]; }

}  // namespace samesum
