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

    static constexpr auto next = Line::next;
    static constexpr auto put = Line::put;

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

    // A prefix of each of `columns` lines by turns, `rounds` times, with their totals in registers.
    template <std::size_t columns, std::size_t rounds>
    static SAMESUM_INLINE void scan_turns(Total (&now)[columns], const char* p, char* out) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < rounds * columns; ++i)
            put(out + i * sizeof(Total), now[i % columns] = next(now[i % columns], p + i * size));
    }

    // n prefixes of them.
    template <std::size_t columns>
    static SAMESUM_INLINE void scan_mixed(Total* total, const char* p, std::size_t n, char* out) {
        constexpr std::size_t rounds = columns < 8 ? 8 / columns : 1, step = rounds * columns;
        Total now[columns];
        for (std::size_t c = 0; c < columns; ++c) now[c] = total[c];
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * size, out += step * sizeof(Total)) {
            __builtin_prefetch(p + prefetch_distances.tile);
            __builtin_prefetch(out + prefetch_distances.tile, 1);
            scan_turns<columns, rounds>(now, p, out);
        }
        for (; i < n; i += columns, p += columns * size, out += columns * sizeof(Total))
            scan_turns<columns, 1>(now, p, out);
        for (std::size_t c = 0; c < columns; ++c) total[c] = now[c];
    }

    // A line of several scans by turns, whose totals are `pitch` places apart.
    static SAMESUM_INLINE void scan_by_turns(std::size_t columns, Total* total, std::size_t pitch,
                                             const char* p, std::size_t n, char* out) {
        Total now[scan_lines];
        for (std::size_t c = 0; c < columns; ++c) now[c] = total[c * pitch];
        scan_few(columns, now, p, n, out);
        for (std::size_t c = 0; c < columns; ++c) total[c * pitch] = now[c];
    }

    static std::size_t lines(void* tile, const ScanLines& all) {
        for (std::size_t k = 0; k < all.lines; ++k) {
            Total* const total = static_cast<Tile*>(tile)->total + k;
            if (all.columns == 1)
                *total = Line::scan(*total, all.x[k], all.n, all.out[k]);
            else
                scan_by_turns(all.columns, total, scan_lines, all.x[k], all.n, all.out[k]);
        }
        return 0;
    }

    // Of 2 to scan_lines columns, a number known to the compiler.
    template <std::size_t columns = scan_lines>
    static SAMESUM_APART void scan_few(std::size_t number, Total* total, const char* p, std::size_t n,
                                       char* out) {
        if (columns == 2 || number == columns) return scan_mixed<columns>(total, p, n, out);
        if constexpr (columns > 2) scan_few<columns - 1>(number, total, p, n, out);
    }

    template <std::size_t known>
    static void short_lines_of(const ShortScanLines& all) {
        const std::size_t n = known > 0 ? known : all.n;
        const char* x = all.x;
        char* out = all.out;
        for (std::size_t k = 0; k < all.lines; ++k, x += all.pitch, out += n * sizeof(Total)) {
            Total total = 0;
#pragma GCC unroll 8
            for (std::size_t i = 0; i < n; ++i)
                put(out + i * sizeof(Total), total = next(total, x + i * size));
        }
    }

    static std::size_t short_lines(const ShortScanLines& all) {
        if (all.n == 2)
            short_lines_of<2>(all);
        else if (all.n == 3)
            short_lines_of<3>(all);
        else if (all.n == 4)
            short_lines_of<4>(all);
        else if (all.n == 8)
            short_lines_of<8>(all);
        else
            short_lines_of<0>(all);
        return 0;
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
            for (std::size_t i = 0; i < n; ++i) store_bits(out, i, now = next(now, p + i * size), to);
        }
        return 0;
    }

    static void init(void* tile, std::size_t n) {
        std::memset(static_cast<Tile*>(tile)->total, 0, n * sizeof(Total));
    }

    static void start(void* tile, const Carry* carries, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j)
            static_cast<Tile*>(tile)->total[j] = static_cast<Total>(carries[j].integer);
    }

    using Columns = WrappingColumns<Integer, Total>;
    static constexpr bool takes_tall = sizeof(Total) >= 4;

    static std::size_t columns(void* tile, const ScanRows& all) {
        Total* const total = static_cast<Tile*>(tile)->total;
        if (size_of(all.format) != sizeof(Total)) return narrow_columns(total, all);
        constexpr std::size_t vectors = sizeof(Total) == 8 ? 8 : 4;
        RowsTogether how{scan_rows, all.rows == scan_rows ? scan_rows : 0, 0};
        if (all.rows > scan_rows) {
            how.in = how.out = rows_prefetch_distance / (all.n * sizeof(Total));
            how.rows = all.rows;
        }
        scan_columns_of<true, vectors>(Columns{}, total, all, how);
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

    // With ways for lines if the prefixes are as wide as the totals.
    static constexpr ScanMethod method(bool is_whole) {
        ScanMethod m{{}, total, join, row, init, columns};
        if (is_whole) {
            m.start = start;
            m.lines = lines;
            m.short_lines = short_lines;
            m.takes_tall = takes_tall;
            m.takes_long_lines = false;
        }
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
