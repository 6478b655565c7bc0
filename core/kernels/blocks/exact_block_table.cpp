// Exact totals of blocks: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/blocks/grid.hpp"
#include "methods/exact_blocks.hpp"

namespace samesum::SAMESUM_ISA {

// The exact total of one block: on grids (kernels/blocks/grid.hpp), of the elements themselves, of their
// magnitudes or of their squares.
template <class F, Map map>
inline void add_total(ExactParts& parts, std::size_t at, const void* x, std::size_t n) {
    const Sum sum = BlockTotal<F, map>::of(x, n).sum;
    parts.part[at] = sum.hi;
    parts.part[at + 1] = sum.lo;
    parts.known &= sum.bound == 0 && samesum::magnitude(sum.hi) < grid_limit;
}

template <class F, Map map>
ExactParts exact_total(const void* x, std::size_t n) {
    ExactParts parts;
    parts.known = true;
    add_total<F, map>(parts, 0, x, n);
    return parts;
}

// take(i, floats) for vectors of n elements from number i on; zeros follow the last one.
template <class F, class Take>
SAMESUM_INLINE void each_floats(const void* x, std::size_t n, const Take& take) {
    const char* p = static_cast<const char*>(x);
    std::size_t i = 0;
    for (; i + width <= n; i += width) take(i, F::floats(p + i * F::size));
    if (i == n) return;
    char padded[width * F::size];
    pad<F>(p + i * F::size, n - i, padded);
    take(i, F::floats(padded));
}

template <class F>
double split_about(const void* x, std::size_t n, double anchor, double* multiple, double* rest) {
    Words least = ~Words{};  // bits of magnitudes less one, so that zero is the greatest
    each_floats<F>(x, n, [&](std::size_t i, Floats f) SAMESUM_INLINED {
        const Words size = (reinterpret_cast<Words>(f) & 0x7fffffff) - 1;
        least = size < least ? size : least;
        const Doubles v = widen(f), m = (v + anchor) - anchor;
        store(multiple + i, m);
        store(rest + i, v - m);
    });
    std::uint32_t all = ~std::uint32_t{0};
    for (std::size_t k = 0; k < width; ++k) all = least[k] < all ? least[k] : all;
    return all == ~std::uint32_t{0} ? infinity : static_cast<double>(__builtin_bit_cast(float, all + 1));
}

// Squares of formats narrower than double are doubles.
template <class F>
ExactParts exact_squares(const void* x, std::size_t n) {
    alignas(64) double squares[exact_elements + width];
    const char* p = static_cast<const char*>(x);
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        const Doubles v = F::doubles(p + i * F::size);
        store(squares + i, v * v);
    }
    if (i < n) {
        char padded[width * F::size];
        pad<F>(p + i * F::size, n - i, padded);
        const Doubles v = F::doubles(padded);
        store(squares + i, v * v);
    }
    ExactParts parts;
    parts.known = true;
    add_total<Float64, Map::magnitude>(parts, 0, squares, n);
    return parts;
}

// Squares of doubles in two words each, where no part of one is below the least normal number.
inline ExactParts exact_double_squares(const void* x, std::size_t n) {
    alignas(64) double squares[exact_elements + width], rests[exact_elements + width];
    constexpr double least = 0x1p-450, most = 0x1p450;
    const char* p = static_cast<const char*>(x);
    Longs outside = {};
    const auto take = [&](std::size_t i, Doubles v) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(v), square = v * v;
        outside |= ~((size == 0) | ((size > least) & (size < most)));
        store(squares + i, square);
        store(rests + i, fused(v, v, -square));
    };
    std::size_t i = 0;
    for (; i + width <= n; i += width) take(i, Float64::doubles(p + i * 8));
    if (i < n) {
        char padded[width * 8];
        pad<Float64>(p + i * 8, n - i, padded);
        take(i, Float64::doubles(padded));
    }
    ExactParts parts;
    parts.known = !any(outside);
    if (!parts.known) return parts;
    add_total<Float64, Map::magnitude>(parts, 0, squares, n);
    add_total<Float64, Map::itself>(parts, 2, rests, n);
    return parts;
}

extern const ExactBlocks exact_blocks;
const ExactBlocks exact_blocks{
    {{exact_total<Float16, Map::itself>, exact_total<Float16, Map::magnitude>, exact_squares<Float16>},
     {exact_total<Bfloat16, Map::itself>, exact_total<Bfloat16, Map::magnitude>, exact_squares<Bfloat16>},
     {exact_total<Float32, Map::itself>, exact_total<Float32, Map::magnitude>, exact_squares<Float32>},
     {exact_total<Float64, Map::itself>, exact_total<Float64, Map::magnitude>, exact_double_squares}},
    {split_about<Float16>, split_about<Bfloat16>, split_about<Float32>}};

}  // namespace samesum::SAMESUM_ISA
