// Prefix sums of integers modulo 2^k, in their own width or in 64 bits. Numbers in registers,
// one after the other, keep up with memory: what is added is done by the time that it is stored.
#pragma once

#include "arithmetic/rounding.hpp"
#include "kernels/integers/modular.hpp"
#include "kernels/loops/prefixes.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Totals of vectors of words (kernels/loops/prefixes.hpp).
struct WrappingState {
    template <class V>
    static SAMESUM_INLINE V joined(V a, V b) {
        return a + b;
    }
    template <class V>
    static SAMESUM_INLINE V none(V) {
        return V{};
    }
};

// Of columns, each with a word of its own. Of short words fewer columns than a vector holds have a shorter
// one.
template <class Integer, class Total, std::size_t bytes = vector_bytes>
struct WrappingColumns : WrappingState,
                         std::conditional_t<std::is_same_v<Integer, Total>, VectorsOf<Total, bytes>,
                                            IntegersIn<Integer, Total>> {
    using Vector = typename VectorOf<Total, bytes>::type;
    using Narrower = WrappingColumns<Integer, Total, bytes / 2>;
    static constexpr bool has_narrower = bytes / sizeof(Total) > 8;
    static constexpr std::size_t result_size = sizeof(Total);
    static SAMESUM_INLINE void put(char* p, Vector v) { store(p, v); }
    static SAMESUM_INLINE void put_first(char* p, Vector v, std::size_t n) { store_first(p, v, n); }
};

template <class Integer, class Total>
struct ModularLine {
    static constexpr std::size_t size = sizeof(Integer);
    static constexpr bool has_vectors = std::is_same_v<Integer, Total> && sizeof(Total) <= 4;

    static SAMESUM_INLINE Total element(const char* p) { return static_cast<Total>(load<Integer>(p)); }
    static SAMESUM_INLINE Total next(Total total, const char* p) {
        return static_cast<Total>(total + element(p));
    }
    static SAMESUM_INLINE void put(char* out, Total total) { __builtin_memcpy(out, &total, sizeof total); }

    // Those of whole vectors of n elements after `total`, which moves on; returns of how many. Within sixteen
    // bytes one instruction moves all elements, on every instruction set.
    static SAMESUM_INLINE std::size_t scan_vectors(Total& total, const char* p, std::size_t n, char* out) {
        using Vector = typename VectorOf<Total, 16>::type;
        const std::size_t whole = n / elements_of<Vector> * elements_of<Vector>;
        const Vector run = scan_line<WrappingState>(
            whole, Vector{} + total,
            [&](std::size_t i) SAMESUM_INLINED { return load<Vector>(p + i * size); },
            [&](std::size_t i, Vector v) SAMESUM_INLINED { store(out + i * size, v); });
        total = run[0];
        return whole;
    }

    static SAMESUM_INLINE Total scan(Total total, const char* p, std::size_t n, char* out) {
        std::size_t i = 0;
        if constexpr (has_vectors) i = scan_vectors(total, p, n, out);
        // Two elements for one step of the chain.
        for (; i + 2 <= n; i += 2) {
            const Total first = element(p + i * size), both = next(first, p + (i + 1) * size);
            put(out + i * sizeof(Total), static_cast<Total>(total + first));
            put(out + (i + 1) * sizeof(Total), total = static_cast<Total>(total + both));
        }
        if (i < n) put(out + i * sizeof(Total), total = next(total, p + i * size));
        return total;
    }
};

template <class Integer, class Total>
struct ModularScan {
    using Line = ModularLine<Integer, Total>;
    static constexpr std::size_t size = sizeof(Integer);

    struct Tile {
        Total total[tile_pitch];
    };

    static Carry total(const void* x, std::size_t n) {
        using Reduction = ModularSum<Integer, Total, Map::itself>;
        typename Reduction::Tile tile;
        Reduction::Totals::init(&tile, 1);
        Reduction::lanes(&tile, 0, x, n, 0, 1);
        Carry carry;
        carry.integer = tile.total[0];
        return carry;
    }

    static void join(Carry& carry, const Carry& part) {
        carry.integer =
            static_cast<Total>(static_cast<Total>(carry.integer) + static_cast<Total>(part.integer));
    }

    // The format is no wider than Total: its low bytes are the result.
    static std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n, Format format,
                           void* out, std::uint8_t*) {
        Total now = static_cast<Total>(carry.integer);
        const std::size_t to = size_of(format);
        const char* p = static_cast<const char*>(x);
        if (to == sizeof(Total)) {
            Line::scan(now, p, n, static_cast<char*>(out));
        } else {
            for (std::size_t i = 0; i < n; ++i) store_bits(out, i, now = Line::next(now, p + i * size), to);
        }
        return 0;
    }

    static void init(void* tile, std::size_t n) {
        std::memset(static_cast<Tile*>(tile)->total, 0, n * sizeof(Total));
    }

    using Columns = WrappingColumns<Integer, Total>;
    static constexpr bool takes_tall = sizeof(Total) >= 4;

    static std::size_t columns(void* tile, const ScanRows& all) {
        Total* const total = static_cast<Tile*>(tile)->total;
        if (size_of(all.format) != sizeof(Total)) return narrow_columns(total, all);
        constexpr std::size_t vectors = sizeof(Total) == 8 ? 8 : 4;
        scan_columns_of<true, vectors>(Columns{}, total, all, rows_together(all, sizeof(Total)));
        return 0;
    }

    static std::size_t narrow_columns(Total* total, const ScanRows& all) {
        ScanRows row = all;
        row.rows = 1;
        for (std::size_t r = 0; r < all.rows; ++r, row.x += row.in, row.out += row.to) {
            scan_columns_of<false, 1>(Columns{}, total, row, {1, 0, 0});
            put_low_bytes(total, all.n, row.out, size_of(all.format));
        }
        return 0;
    }

    // Of prefixes as wide as the totals many rows are taken at once.
    static constexpr ScanMethod method(bool is_whole) {
        ScanMethod m{{}, total, join, row, init, columns};
        m.takes_tall = is_whole && takes_tall;
        return m;
    }
};

// For prefixes of 1, 2, 4 and 8 bytes.
template <class Integer>
constexpr void fill_modular_scans(ScanMethod (&to)[4]) {
    using Own = std::make_unsigned_t<Integer>;
    for (std::size_t i = 0, size = 1; i < 4; ++i, size *= 2) {
        if (size <= sizeof(Integer))
            to[i] = ModularScan<Own, Own>::method(size == sizeof(Integer));
        else
            to[i] = ModularScan<BitsOfModular<Integer, std::uint64_t, Map::itself>, std::uint64_t>::method(
                size == 8);
    }
}

constexpr void fill_all_modular_scans(ScanMethod (&of)[8][4]) {
    fill_modular_scans<std::int8_t>(of[0]);
    fill_modular_scans<std::int16_t>(of[1]);
    fill_modular_scans<std::int32_t>(of[2]);
    fill_modular_scans<std::int64_t>(of[3]);
    fill_modular_scans<std::uint8_t>(of[4]);
    fill_modular_scans<std::uint16_t>(of[5]);
    fill_modular_scans<std::uint32_t>(of[6]);
    fill_modular_scans<std::uint64_t>(of[7]);
}

}  // namespace samesum::SAMESUM_ISA
