// Whole sets of few elements at once: for one instruction set, compiled as table.cpp is.
#include "kernels/short/short_double_sum.hpp"
#include "kernels/short/short_extreme.hpp"
#include "kernels/short/short_product.hpp"
#include "kernels/short/short_sum.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
constexpr void fill_sums(Short (&row)[3][4]) {
    row[0][by(Finalize::itself)] = ShortSum<F, Map::itself, Finalize::itself>::make;
    row[0][by(Finalize::over_count)] = ShortSum<F, Map::itself, Finalize::over_count>::make;
    row[0][by(Finalize::logarithm)] = ShortSum<F, Map::itself, Finalize::logarithm>::make;
    row[1][by(Finalize::itself)] = ShortSum<F, Map::magnitude, Finalize::itself>::make;
    row[2][by(Finalize::itself)] = ShortSum<F, Map::square, Finalize::itself>::make;
    row[2][by(Finalize::root)] = ShortSum<F, Map::square, Finalize::root>::make;
}

constexpr void fill_double_sums(Short (&row)[3][4]) {
    row[0][by(Finalize::itself)] = ShortDoubleSum<Map::itself, Finalize::itself>::make;
    row[0][by(Finalize::over_count)] = ShortDoubleSum<Map::itself, Finalize::over_count>::make;
    row[0][by(Finalize::logarithm)] = ShortDoubleSum<Map::itself, Finalize::logarithm>::make;
    row[1][by(Finalize::itself)] = ShortDoubleSum<Map::magnitude, Finalize::itself>::make;
    row[2][by(Finalize::itself)] = ShortDoubleSum<Map::square, Finalize::itself>::make;
    row[2][by(Finalize::root)] = ShortDoubleSum<Map::square, Finalize::root>::make;
}

template <class Key, Format format>
constexpr void fill_orders(ShortMethods& m) {
    constexpr bool is_real = is_float(format);
    constexpr std::size_t index = static_cast<std::size_t>(format);
    using Unsigned = std::make_unsigned_t<Key>;
    using Number = std::conditional_t<is_unsigned(format), Unsigned, Key>;
    using Bits = std::conditional_t<is_real, Key, Unsigned>;
    m.extreme[index][0] = ShortExtreme<Number, format, false>::make;
    m.extreme[index][1] = ShortExtreme<Number, format, true>::make;
    m.logical[index][0] = ShortLogical<Bits, false>::make;
    m.logical[index][1] = ShortLogical<Bits, true>::make;
    Short(&position)[2][2] = m.position[index];
    position[0][0] = ShortPosition<Key, is_real, false>::template make<format, false>;
    position[0][1] = ShortPosition<Key, is_real, true>::template make<format, false>;
    position[1][0] = ShortPosition<Key, is_real, false>::template make<format, true>;
    position[1][1] = ShortPosition<Key, is_real, true>::template make<format, true>;
}

constexpr void fill_all_orders(ShortMethods& m) {
    fill_orders<std::int16_t, Format::f16>(m);
    fill_orders<std::int16_t, Format::bf16>(m);
    fill_orders<std::int32_t, Format::f32>(m);
    fill_orders<std::int64_t, Format::f64>(m);
    fill_orders<std::int8_t, Format::i8>(m);
    fill_orders<std::int16_t, Format::i16>(m);
    fill_orders<std::int32_t, Format::i32>(m);
    fill_orders<std::int64_t, Format::i64>(m);
    fill_orders<std::int8_t, Format::u8>(m);
    fill_orders<std::int16_t, Format::u16>(m);
    fill_orders<std::int32_t, Format::u32>(m);
    fill_orders<std::int64_t, Format::u64>(m);
}

template <class Key, Format format>
constexpr void fill_ones(ShortMethods& m) {
    Short(&one)[3] = m.one[static_cast<std::size_t>(format)];
    one[0] = ShortOne<Key, format, Map::itself>::make;
    one[1] = ShortOne<Key, format, Map::magnitude>::make;
    if constexpr (sizeof(Key) >= sizeof(float)) one[2] = ShortOne<Key, format, Map::square>::make;
}

constexpr ShortMethods all_short() {
    ShortMethods m{};
    fill_sums<Float16>(m.sum[0]);
    fill_sums<Bfloat16>(m.sum[1]);
    fill_sums<Float32>(m.sum[2]);
    fill_double_sums(m.sum[3]);
    m.product[0] = ShortProduct<Float16>::make;
    m.product[1] = ShortProduct<Bfloat16>::make;
    m.product[2] = ShortProduct<Float32>::make;
    m.product[3] = ShortDoubleProduct::make;
    fill_all_orders(m);
    fill_ones<std::int16_t, Format::f16>(m);
    fill_ones<std::int16_t, Format::bf16>(m);
    fill_ones<std::int32_t, Format::f32>(m);
    fill_ones<std::int64_t, Format::f64>(m);
    return m;
}

extern const ShortMethods shorts;
const ShortMethods shorts = all_short();

}  // namespace samesum::SAMESUM_ISA
