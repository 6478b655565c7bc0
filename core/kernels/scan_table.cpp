// Prefix sums: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/modular_scan.hpp"
#include "kernels/scan.hpp"
#include "kernels/widened_scan.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer>
constexpr void fill_integer(ScanMethods& m, Format format) {
    ScanMethod(&row)[2] = m.modular[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    row[0] = ModularScan<std::make_unsigned_t<Integer>, std::make_unsigned_t<Integer>, false>::method();
    row[1] = ModularScan<BitsOfModular<Integer, std::uint64_t, Map::itself>, std::uint64_t, false>::method();
}

constexpr ScanMethods all_scans() {
    ScanMethods m{};
    fill_scans<FloatScan>(m.real);
    fill_integer<std::int8_t>(m, Format::i8);
    fill_integer<std::int16_t>(m, Format::i16);
    fill_integer<std::int32_t>(m, Format::i32);
    fill_integer<std::int64_t>(m, Format::i64);
    fill_integer<std::uint8_t>(m, Format::u8);
    fill_integer<std::uint16_t>(m, Format::u16);
    fill_integer<std::uint32_t>(m, Format::u32);
    fill_integer<std::uint64_t>(m, Format::u64);
    return m;
}

extern const ScanMethods scans;
const ScanMethods scans = all_scans();

}  // namespace samesum::SAMESUM_ISA
