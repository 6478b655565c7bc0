// Whole sets of few integers at once: for one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_totals.hpp"
#include "kernels/short/short_integers.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total, Map map, bool product = false>
constexpr Short modular = ShortModular<BitsOfModular<Integer, Total, map>, Total, map, product>::make;

template <class Integer, class Total>
constexpr void fill_modular(Short (&sum)[3], Short& product) {
    sum[0] = modular<Integer, Total, Map::itself>;
    sum[1] = modular<Integer, Total, Map::magnitude>;
    sum[2] = modular<Integer, Total, Map::square>;
    product = modular<Integer, Total, Map::itself, true>;
}

template <class Integer>
constexpr void fill(ShortIntegerMethods& m, Format format) {
    const std::size_t index = static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8);
    fill_modular<Integer, std::make_unsigned_t<Integer>>(m.sum[index][0], m.product[index][0]);
    fill_modular<Integer, std::uint64_t>(m.sum[index][1], m.product[index][1]);
    m.mean[index] = ShortIntegerMean<Integer>::make;
}

constexpr ShortIntegerMethods all_short_integers() {
    ShortIntegerMethods m{};
    fill<std::int8_t>(m, Format::i8);
    fill<std::int16_t>(m, Format::i16);
    fill<std::int32_t>(m, Format::i32);
    fill<std::int64_t>(m, Format::i64);
    fill<std::uint8_t>(m, Format::u8);
    fill<std::uint16_t>(m, Format::u16);
    fill<std::uint32_t>(m, Format::u32);
    fill<std::uint64_t>(m, Format::u64);
    return m;
}

extern const ShortIntegerMethods short_integers;
const ShortIntegerMethods short_integers = all_short_integers();

}  // namespace samesum::SAMESUM_ISA
