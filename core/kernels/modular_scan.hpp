// Prefix sums of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include "exact/rounding.hpp"
#include "kernels/method.hpp"
#include "kernels/modular.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total>
struct ModularScan {
    using Sums = Modular<Integer, Total, Map::itself>;

    static void total(Carry& carry, const void* x, std::size_t n) {
        typename Sums::Tile tile;
        tile.sum[0] = static_cast<Total>(carry.integer);
        Sums::lane(&tile, 0, x, n);
        carry.integer = tile.sum[0];
    }

    // The format is no wider than Total: its low bytes are the result.
    static std::size_t row(Carry& carry, const void* x, std::size_t n, Format format, void* out,
                           std::uint8_t* failed) {
        Total sum = static_cast<Total>(carry.integer);
        const std::size_t size = size_of(format);
        const char* p = static_cast<const char*>(x);
        if (size == sizeof(Total)) {
            for (std::size_t i = 0; i < n; ++i) {
                sum = static_cast<Total>(sum + Sums::mapped(p + i * sizeof(Integer)));
                std::memcpy(static_cast<char*>(out) + i * sizeof sum, &sum, sizeof sum);
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                sum = static_cast<Total>(sum + Sums::mapped(p + i * sizeof(Integer)));
                store_bits(out, i, sum, size);
            }
        }
        carry.integer = sum;
        std::memset(failed, 0, n);
        return 0;
    }

    static void init(void* tile, std::size_t n) { Sums::init(tile, n); }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t, Format format, void* out,
                              std::uint8_t* failed) {
        Sums::columns(tile, x, 0, 1, n);
        return Sums::finish(tile, n, Finish{Finalize::itself, format, 1}, out, failed);
    }

    static constexpr ScanMethod method() { return {total, row, init, column}; }
};

}  // namespace samesum::SAMESUM_ISA
