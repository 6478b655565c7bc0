// The methods of one instruction set; compiled once for each, with SAMESUM_ISA naming it.
#include "kernels/integers/modular.hpp"
#include "kernels/sums/single_sums.hpp"
#include "kernels/sums/special_sums.hpp"
#include "kernels/sums/sum1.hpp"
#include "kernels/sums/widened_sums.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, Map map>
constexpr void fill_sum1(Method (&row)[3]) {
    const auto of = [&](Lanes lanes) -> Method& { return row[static_cast<std::size_t>(lanes)]; };
    of(Lanes::usual) = Sum1<F, map, false>::method();
    of(Lanes::few) = Sum1<F, map, map != Map::square>::method();
    if constexpr (F::size == 2) of(Lanes::singles) = SingleLaneSums<F, map>::method();
}

template <class F>
constexpr void fill_sum1(Method (&row)[3][3]) {
    fill_sum1<F, Map::itself>(row[0]);
    fill_sum1<F, Map::magnitude>(row[1]);
    fill_sum1<F, Map::square>(row[2]);
}

template <class F>
constexpr void fill_sum2(Method (&row)[3]) {
    row[0] = WidenedSums<TermsOf<F, Map::itself>>::method();
    row[1] = WidenedSums<TermsOf<F, Map::magnitude>>::method();
    row[2] = WidenedSums<TermsOf<F, Map::square>>::method();
}

template <class Integer, class Total>
constexpr void fill_modular(Method (&row)[3]) {
    row[0] = ModularSumOf<Integer, Total, Map::itself>::method();
    row[1] = ModularSumOf<Integer, Total, Map::magnitude>::method();
    row[2] = ModularSumOf<Integer, Total, Map::square>::method();
}

template <class Integer, Format format>
constexpr void fill_integer(Methods& m) {
    Method(&row)[2][3] = m.modular[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    fill_modular<Integer, std::make_unsigned_t<Integer>>(row[0]);
    fill_modular<Integer, std::uint64_t>(row[1]);
}

constexpr Methods all_methods() {
    Methods m{};
    fill_sum1<Float16>(m.sum1[0]);
    fill_sum1<Bfloat16>(m.sum1[1]);
    fill_sum1<Float32>(m.sum1[2]);
    fill_sum2<Float16>(m.sum2[0]);
    fill_sum2<Bfloat16>(m.sum2[1]);
    fill_sum2<Float32>(m.sum2[2]);
    m.sum2[3][0] = Sum2<Float64, Map::itself>::method();
    m.sum2[3][1] = Sum2<Float64, Map::magnitude>::method();
    m.sum2[3][2] = Sum2<Float64, Map::square>::method();
    m.sum2_few[0] = Sum2<Float64, Map::itself, true>::method();
    m.sum2_few[1] = Sum2<Float64, Map::magnitude, true>::method();
    m.special[0] = SpecialSums<Map::itself>::method();
    m.special[1] = SpecialSums<Map::magnitude>::method();
    m.special[2] = SpecialSums<Map::square>::method();
    fill_integer<std::int8_t, Format::i8>(m);
    fill_integer<std::int16_t, Format::i16>(m);
    fill_integer<std::int32_t, Format::i32>(m);
    fill_integer<std::int64_t, Format::i64>(m);
    fill_integer<std::uint8_t, Format::u8>(m);
    fill_integer<std::uint16_t, Format::u16>(m);
    fill_integer<std::uint32_t, Format::u32>(m);
    fill_integer<std::uint64_t, Format::u64>(m);
    return m;
}

extern const Methods methods;
const Methods methods = all_methods();

}  // namespace samesum::SAMESUM_ISA
