// Exact sums of blocks of floats of 16 bits whose exponents lie close together: as multiples of one unit they
// are integers of 28 bits, with sign.
#pragma once

#include "kernels/blocks/statistics_grids.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of the squares of the even and of the odd elements, in 64 bits.
struct SquareSums {
    UnsignedLongs even{}, odd{};

    SAMESUM_INLINE void take(SingleWords size) {
        const UnsignedLongs pairs = reinterpret_cast<UnsignedLongs>(size);
        even += product_of_halves(pairs, pairs);
        odd += product_of_halves(pairs >> 32, pairs >> 32);
    }
};

// The sums of neighbours.
SAMESUM_INLINE Longs pair_sums(SingleInts v) {
    const Longs pairs = reinterpret_cast<Longs>(v);
    return (pairs << 32 >> 32) + (pairs >> 32);
}

template <class F>
struct IntegerSums {
    static_assert(F::size == 2);
    // Integers below 2^27: sums of the squares of a block fit into 64 bits. (Lemma 20)
    static constexpr int deepest = 26;
    static_assert(2 * (deepest + 1) + std::bit_width(statistics_block(F::format) / singles - 1) <= 64);

    struct Sums {
        Longs itself{}, size{};
        SquareSums squares;

        SAMESUM_INLINE void take_run(const char* p, std::size_t steps, Singles scale) {
            SingleInts sum{}, sizes{};
            for (std::size_t i = 0; i < steps; ++i) {
                const SingleInts v =
                    __builtin_convertvector(full_vector<F>(p + i * singles * F::size) * scale, SingleInts);
                const SingleInts magnitude = v < 0 ? -v : v;
                sum += v;
                sizes += magnitude;
                squares.take(reinterpret_cast<SingleWords>(magnitude));
            }
            itself += pair_sums(sum);
            size += pair_sums(sizes);
        }
    };

    static bool take(const char* p, std::size_t n, OctaveRange range, BlockStatistics& found) {
        if (range.depth() > deepest || range.unit < -126) return false;
        Sums sums;
        const Singles scale = Singles{} + static_cast<float>(power_of_two(-range.unit));
        const std::size_t most = std::size_t{1} << (30 - range.depth());  // sums of so many fit into 32 bits
        each_run<F, singles>(p, n, most,
                             [&](const char* from, std::size_t steps) { sums.take_run(from, steps, scale); });
        const double unit = power_of_two(range.unit), area = unit * unit;
        std::int64_t itself = 0, size = 0;
        std::uint64_t high = 0, low = 0;
        for (std::size_t k = 0; k < width; ++k) {
            itself += sums.itself[k];
            size += sums.size[k];
            high += (sums.squares.even[k] >> 32) + (sums.squares.odd[k] >> 32);
            low += (sums.squares.even[k] & UINT32_MAX) + (sums.squares.odd[k] & UINT32_MAX);
        }
        found.part[0][0] = static_cast<double>(itself) * unit;
        found.part[1][0] = static_cast<double>(size) * unit;
        found.part[2][0] = static_cast<double>(high) * 0x1p32 * area;
        found.part[2][1] = static_cast<double>(low) * area;
        for (bool& known : found.known) known = true;
        return true;
    }
};

}  // namespace samesum::SAMESUM_ISA
