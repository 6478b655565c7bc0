// Windows of arrays: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/instruction_set.hpp"
#include "kernels/windows/window_sets.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
constexpr void fill_sums(WindowSets (&row)[3][4]) {
    row[0][by(Finalize::itself)] = WindowSum<F, Map::itself, Finalize::itself>::make;
    row[0][by(Finalize::over_count)] = WindowSum<F, Map::itself, Finalize::over_count>::make;
    row[1][by(Finalize::itself)] = WindowSum<F, Map::magnitude, Finalize::itself>::make;
    row[2][by(Finalize::root)] = WindowSum<F, Map::square, Finalize::root>::make;
}

template <class Key, Format format>
constexpr void fill_extremes(WindowMethods& m) {
    WindowSets(&row)[2] = m.extreme[static_cast<std::size_t>(format)];
    row[0] = WindowExtreme<Key, format, false>::make;
    row[1] = WindowExtreme<Key, format, true>::make;
}

constexpr WindowMethods all_windows() {
    WindowMethods m{};
    fill_sums<Float16>(m.sum[0]);
    fill_sums<Bfloat16>(m.sum[1]);
    fill_sums<Float32>(m.sum[2]);
    fill_extremes<std::int16_t, Format::f16>(m);
    fill_extremes<std::int16_t, Format::bf16>(m);
    fill_extremes<std::int32_t, Format::f32>(m);
    fill_extremes<std::int64_t, Format::f64>(m);
    fill_extremes<std::int8_t, Format::i8>(m);
    fill_extremes<std::int16_t, Format::i16>(m);
    fill_extremes<std::int32_t, Format::i32>(m);
    fill_extremes<std::int64_t, Format::i64>(m);
    fill_extremes<std::uint8_t, Format::u8>(m);
    fill_extremes<std::uint16_t, Format::u16>(m);
    fill_extremes<std::uint32_t, Format::u32>(m);
    fill_extremes<std::uint64_t, Format::u64>(m);
    return m;
}

extern const WindowMethods windows;
const WindowMethods windows = all_windows();

}  // namespace samesum::SAMESUM_ISA
