// Prefix sums and products of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include "exact/rounding.hpp"
#include "kernels/method.hpp"
#include "kernels/modular.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total, bool product>
struct ModularScan {
    using All = Modular<Integer, Total, Map::itself, product>;

    static Carry total(const void* x, std::size_t n) {
        typename All::Tile tile;
        All::init(&tile, 1);
        All::lane(&tile, 0, x, n);
        Carry carry;
        carry.integer = tile.total[0];
        return carry;
    }

    static void join(Carry& carry, const Carry& part) {
        carry.integer = All::combined(static_cast<Total>(carry.integer), static_cast<Total>(part.integer));
    }

    // The format is no wider than Total: its low bytes are the result.
    static std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n, Format format,
                           void* out, std::uint8_t*) {
        Total total = static_cast<Total>(carry.integer);
        const std::size_t size = size_of(format);
        const char* p = static_cast<const char*>(x);
        if (size == sizeof(Total)) {
            for (std::size_t i = 0; i < n; ++i) {
                total = All::combined(total, All::mapped(p + i * sizeof(Integer)));
                std::memcpy(static_cast<char*>(out) + i * sizeof total, &total, sizeof total);
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                total = All::combined(total, All::mapped(p + i * sizeof(Integer)));
                store_bits(out, i, total, size);
            }
        }
        return 0;
    }

    static void init(void* tile, std::size_t n) { All::init(tile, n); }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t, Format format, void* out,
                              std::uint8_t* failed) {
        All::columns(tile, x, 0, 1, n);
        return All::finish(tile, n, Finish{Finalize::itself, format, 1}, out, failed);
    }

    static constexpr ScanMethod method() {
        Carry identity{};
        identity.integer = All::identity;
        return {identity, total, join, row, init, each_row<column>};
    }
};

}  // namespace samesum::SAMESUM_ISA
