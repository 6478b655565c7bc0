// Positions of extremes, all and any: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/search/logical.hpp"
#include "kernels/search/positions.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, Format format>
constexpr void fill(SearchMethods& m) {
    Method(&position)[2][2] = m.position[static_cast<std::size_t>(format)];
    position[0][0] = Position<Key, is_float(format), false>::template method<format, false>();
    position[0][1] = Position<Key, is_float(format), true>::template method<format, false>();
    position[1][0] = Position<Key, is_float(format), false>::template method<format, true>();
    position[1][1] = Position<Key, is_float(format), true>::template method<format, true>();
    Method(&logical)[2] = m.logical[static_cast<std::size_t>(format)];
    logical[0] = Logical<std::make_unsigned_t<Key>, is_float(format), false>::method();
    logical[1] = Logical<std::make_unsigned_t<Key>, is_float(format), true>::method();
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
