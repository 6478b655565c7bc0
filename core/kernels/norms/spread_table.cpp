// Variances: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/norm_numbers.hpp"
#include "kernels/norms/spread.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

using Doubled = Spread<Float64, WideSpread>;

// What a double may not hold is left to exact sums.
template <class Integer>
void widen_integers(const char* p, std::size_t n, double* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = double_or_nan(load<Integer>(p + i * sizeof(Integer)));
}

// Elements of `size` bytes become doubles, some at a time.
template <std::size_t size, void (*widen)(const char* p, std::size_t n, double* to)>
struct Widened {
    static constexpr std::size_t some = 1024, pitch = SpreadTile::columns + 8, together = 8;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        alignas(64) double buffer[some];
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n; i += some) {
            const std::size_t now = std::min(some, n - i);
            widen(p + i * size, now, buffer);
            Doubled::lanes(tile, j, buffer, now, 0, 1);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        alignas(64) double buffer[together * pitch];
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += together) {
            const std::size_t now = std::min(together, rows - r);
            for (std::size_t k = 0; k < now; ++k, p += row_stride) widen(p, n, buffer + k * pitch);
            Doubled::columns(tile, buffer, static_cast<std::ptrdiff_t>(pitch * sizeof(double)), now, n);
        }
    }

    static constexpr Method method() {
        Method m = Doubled::method();
        m.lanes = each_lane<lane>;
        m.columns = columns;
        return m;
    }
};

template <class F>
constexpr Method floats = Widened<F::size, NormNumbers::widen<F>>::method();
template <class Integer>
constexpr Method integers = Widened<sizeof(Integer), widen_integers<Integer>>::method();

extern const SpreadMethods spreads;
const SpreadMethods spreads{
    {Spread<Float16, NarrowSpread>::method(), Spread<Bfloat16, NarrowSpread>::method(),
     Spread<Float32, NarrowSpread>::method()},
    {floats<Float16>, floats<Bfloat16>, floats<Float32>, Doubled::method(), integers<std::int8_t>,
     integers<std::int16_t>, integers<std::int32_t>, integers<std::int64_t>, integers<std::uint8_t>,
     integers<std::uint16_t>, integers<std::uint32_t>, integers<std::uint64_t>},
    Spread<Float64, FewSpread>::method()};

}  // namespace samesum::SAMESUM_ISA
