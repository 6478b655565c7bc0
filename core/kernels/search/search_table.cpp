// Extremes and their positions, all and any: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/search/extremes.hpp"
#include "kernels/search/logical.hpp"
#include "kernels/search/positions.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, Format format>
constexpr void fill(SearchMethods& m) {
    constexpr bool is_real = is_float(format);
    constexpr std::size_t index = static_cast<std::size_t>(format);
    using Unsigned = std::make_unsigned_t<Key>;
    using Number = std::conditional_t<is_unsigned(format), Unsigned, Key>;
    using Bits = std::conditional_t<is_real, Key, Unsigned>;
    m.extreme[index][0] = Extremes<Number, is_real, false>::template method<format>();
    m.extreme[index][1] = Extremes<Number, is_real, true>::template method<format>();
    m.logical[index][0] = Logical<Bits, false>::method();
    m.logical[index][1] = Logical<Bits, true>::method();
    Method(&position)[2][2] = m.position[index];
    position[0][0] = Position<Key, is_real, false>::template method<format, false>();
    position[0][1] = Position<Key, is_real, true>::template method<format, false>();
    position[1][0] = Position<Key, is_real, false>::template method<format, true>();
    position[1][1] = Position<Key, is_real, true>::template method<format, true>();
}

constexpr SearchMethods all_searches() {
    SearchMethods m{};
    fill<std::int16_t, Format::f16>(m);
    fill<std::int16_t, Format::bf16>(m);
    fill<std::int32_t, Format::f32>(m);
    fill<std::int64_t, Format::f64>(m);
    fill<std::int8_t, Format::i8>(m);
    fill<std::int16_t, Format::i16>(m);
    fill<std::int32_t, Format::i32>(m);
    fill<std::int64_t, Format::i64>(m);
    fill<std::int8_t, Format::u8>(m);
    fill<std::int16_t, Format::u16>(m);
    fill<std::int32_t, Format::u32>(m);
    fill<std::int64_t, Format::u64>(m);
    return m;
}

extern const SearchMethods searches;
const SearchMethods searches = all_searches();

}  // namespace samesum::SAMESUM_ISA
