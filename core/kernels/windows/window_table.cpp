// Windows of arrays: the methods of one instruction set, compiled as table.cpp is.
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "kernels/short/short_extreme.hpp"
#include "kernels/short/short_sum.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "methods/short_method.hpp"

namespace samesum::SAMESUM_ISA {

// make(vectors, rows, first, to) for as many vectors of `step` sets of elements of `size` bytes as that
// constant says. The last vector may repeat sets of the one before; fewer sets than a vector are copied.
template <std::size_t step, std::size_t size, class Make>
SAMESUM_INLINE bool each_window(const char* const* rows, std::size_t count, std::size_t n, char* out,
                                const Make& make) {
    constexpr std::integral_constant<std::size_t, 1> one;
    constexpr std::integral_constant<std::size_t, 2> two;
    bool certain = true;
    if (n < step) {
        alignas(64) char copies[short_elements * step * size] = {};
        const char* copied[short_elements];
        for (std::size_t r = 0; r < count; ++r) {
            copied[r] = copies + r * step * size;
            std::memcpy(copies + r * step * size, rows[r], n * size);
        }
        alignas(64) char results[step * size];
        certain = make(one, copied, 0, results);
        std::memcpy(out, results, n * size);
        return certain;
    }
    std::size_t j = 0;
    for (; j + 2 * step <= n; j += 2 * step) certain &= make(two, rows, j * size, out + j * size);
    for (; j + step <= n; j += step) certain &= make(one, rows, j * size, out + j * size);
    if (j < n) certain &= make(one, rows, (n - step) * size, out + (n - step) * size);
    return certain;
}

template <class F, Map map, Finalize finalize>
struct WindowSum {
    using Sum = ShortSum<F, map, finalize>;

    static bool make(const char* const* rows, std::size_t count, std::size_t divisor, std::size_t n,
                     char* out) {
        const double number = static_cast<double>(divisor);
        const double inverse = (divisor & (divisor - 1)) == 0 ? 1 / number : 0;  // where it is exact
        return each_window<width, F::size>(
            rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                typename Sum::Part part[vectors];
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>([&](std::size_t k) { Sum::take(part[k], p + k * width * F::size); });
                }
                bool certain = true;
                for_each_of<vectors>([&](std::size_t k) {
                    const Words doubtful = Sum::inexact(part[k]);
                    Verdict<F::format> verdict = Sum::concluded(part[k].sum, number, inverse);
                    if ((Sum::tells || Sum::exact) && any_bit(doubtful | verdict.wrong))
                        verdict = Sum::tested(part[k], doubtful, number);
                    Rounding<F::format>::store_to(to + k * width * F::size, 0, verdict.bits);
                    certain &= !any_bit(verdict.wrong);
                });
                return certain;
            });
    }
};

template <class Key, Format format, bool maximum>
struct WindowExtreme {
    using Keys = FullVector<Key>;
    using State = Extreme<Keys, Key, is_float(format), maximum>;
    static constexpr std::size_t step = sizeof(Keys) / sizeof(Key);

    static bool make(const char* const* rows, std::size_t count, std::size_t, std::size_t n, char* out) {
        return each_window<step, sizeof(Key)>(
            rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                State state[vectors];
                for (State& each : state) each = State::none();
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>(
                        [&](std::size_t k) { state[k].take(load<Keys>(p + k * sizeof(Keys))); });
                }
                for_each_of<vectors>(
                    [&](std::size_t k) { store(to + k * sizeof(Keys), state[k].result(format)); });
                return true;
            });
    }
};

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
