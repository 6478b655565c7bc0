// Variances: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/spread.hpp"
#include "methods/spread_method.hpp"

namespace samesum::SAMESUM_ISA {

using Doubled = Spread<Float64, WideSpread>;

// Floats of fewer bits.
template <class F>
struct AsDoubles {
    static constexpr std::size_t size = F::size;
    static void convert(const char* p, std::size_t n, double* to) {
        for (std::size_t i = 0; i < n; i += width) {
            char padded[width * size];
            if (n - i < width) pad<F>(p + i * size, n - i, padded);
            store(to + i, F::doubles(n - i < width ? padded : p + i * size));
        }
    }
};

// What a double may not hold is left to exact sums.
template <class Integer>
struct IntegersAsDoubles {
    static constexpr std::size_t size = sizeof(Integer);
    static void convert(const char* p, std::size_t n, double* to) {
        for (std::size_t i = 0; i < n; ++i) {
            Integer x;
            std::memcpy(&x, p + i * size, size);
            to[i] = double_or_nan(x);
        }
    }
};

// Elements that a double holds become doubles, some at a time.
template <class As>
struct Converted {
    static constexpr std::size_t some = 1024, pitch = SpreadTile::columns + 8, together = 8;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        alignas(64) double buffer[some];
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n; i += some) {
            const std::size_t now = std::min(some, n - i);
            As::convert(p + i * As::size, now, buffer);
            Doubled::lanes(tile, j, buffer, now, 0, 1);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        alignas(64) double buffer[together * pitch];
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += together) {
            const std::size_t now = std::min(together, rows - r);
            for (std::size_t k = 0; k < now; ++k, p += row_stride) As::convert(p, n, buffer + k * pitch);
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

static void read(const void* tile, const Table& to) {
    const SpreadTile& t = *static_cast<const SpreadTile*>(tile);
    for (std::size_t j = 0; j < to.n; ++j) {
        const Words2 spread = spread_of(t.lone(j), Doubles{} + t.count[j]);
        to.row(0)[j] = spread.hi[0];
        to.row(1)[j] = spread.lo[0];
        to.row(2)[j] = spread.bound[0];
    }
}

template <Format format, class As>
constexpr void fill(SpreadMethods& m) {
    m.wide[static_cast<std::size_t>(format)] = Converted<As>::method();
}

constexpr SpreadMethods all_spreads() {
    SpreadMethods m{};
    m.narrow[0] = Spread<Float16, NarrowSpread>::method();
    m.narrow[1] = Spread<Bfloat16, NarrowSpread>::method();
    m.narrow[2] = Spread<Float32, NarrowSpread>::method();
    m.wide[static_cast<std::size_t>(Format::f64)] = Doubled::method();
    m.few = Spread<Float64, FewSpread>::method();
    fill<Format::f16, AsDoubles<Float16>>(m);
    fill<Format::bf16, AsDoubles<Bfloat16>>(m);
    fill<Format::f32, AsDoubles<Float32>>(m);
    fill<Format::i8, IntegersAsDoubles<std::int8_t>>(m);
    fill<Format::i16, IntegersAsDoubles<std::int16_t>>(m);
    fill<Format::i32, IntegersAsDoubles<std::int32_t>>(m);
    fill<Format::i64, IntegersAsDoubles<std::int64_t>>(m);
    fill<Format::u64, IntegersAsDoubles<std::uint64_t>>(m);
    fill<Format::u8, IntegersAsDoubles<std::uint8_t>>(m);
    fill<Format::u16, IntegersAsDoubles<std::uint16_t>>(m);
    fill<Format::u32, IntegersAsDoubles<std::uint32_t>>(m);
    m.reader = {3, read};
    return m;
}

extern const SpreadMethods spreads;
const SpreadMethods spreads = all_spreads();

}  // namespace samesum::SAMESUM_ISA
