// Sums of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include <type_traits>

#include "kernels/accumulators/wrapping_sum.hpp"
#include "kernels/integers/modular_totals.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of n <= block_elements bytes. A run is taken in vectors of unsigned bytes, of which the last is filled up.
template <class Integer, Map map>
struct ByteTotal {
    static_assert(sizeof(Integer) == 1);
    static constexpr bool flips = std::is_signed_v<Integer> && map == Map::itself;

    // 32 bits are enough for the squares of `block_elements` bytes.
    using Sums = std::conditional_t<map == Map::square, Quads, UnsignedLongs>;
    static_assert(block_elements * 255 * 255 <= UINT32_MAX);

    Sums sums = {};

    SAMESUM_INLINE void take(Octets x) {
        if constexpr (flips) x ^= 0x80;
        if constexpr (std::is_signed_v<Integer> && map != Map::itself) x = x < -x ? x : -x;
        if constexpr (map == Map::square) {
            const Pairs pairs = reinterpret_cast<Pairs>(x);
            sums += sums_of_two_squares(pairs & 0xff) + sums_of_two_squares(pairs >> 8);
        } else {
            sums += sums_of_eight(x);
        }
    }
    SAMESUM_INLINE void join(const ByteTotal& other) { sums += other.sums; }

    // Sums that add up to the total, but for the correction.
    SAMESUM_INLINE RowTotals parts() const {
        const UnsignedLongs all = reinterpret_cast<UnsignedLongs>(sums);
        return {map == Map::square ? (all & UINT32_MAX) + (all >> 32) : all};
    }

    static SAMESUM_INLINE std::uint64_t correction(std::size_t n) {
        const std::size_t vectors = (n + vector_bytes - 1) / vector_bytes;
        return flips ? 0 - 128 * std::uint64_t{vector_bytes} * vectors : 0;
    }
};

template <class Integer, class Total, Map map>
struct ModularSum {
    using Totals = ModularTotals<Total>;

    // Sums of so many rows of small elements fit into narrower words, of which a vector holds more.
    static constexpr std::size_t rows_per_block = 128;
    static constexpr bool is_narrow = sizeof(Integer) == 1 || (sizeof(Integer) == 2 && map != Map::square);
    using Narrow =
        std::conditional_t<sizeof(Integer) == 1 && map != Map::square, std::uint16_t, std::uint32_t>;
    static constexpr bool has_blocks = is_narrow && sizeof(Total) > sizeof(Narrow);
    using Word = std::conditional_t<has_blocks, Narrow, Total>;
    using Words = WrappingSum<Integer, Word, map>;

    static constexpr std::size_t most = has_blocks ? columns_of(sizeof(Integer)) : tile_columns;
    struct Tile {  // begins with the totals
        Total total[most + 24];
        Word block[has_blocks ? most + vector_bytes : 1];

        static Tile& of(void* tile) {
            static_assert(sizeof(Tile) <= tile_bytes);
            return *static_cast<Tile*>(tile);
        }
        Word* words() {
            if constexpr (has_blocks)
                return block;
            else
                return total;
        }
    };

    static constexpr bool are_bytes = sizeof(Integer) == 1;
    static SAMESUM_INLINE std::uint64_t correction(std::size_t n) {
        if constexpr (are_bytes) return ByteTotal<Integer, map>::correction(n);
        return 0;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        // Words of 32 bits hold all of them.
        static_assert(block_elements * UINT16_MAX <= UINT32_MAX);
        Total* const total = Tile::of(tile).total + j;
        const std::uint64_t more = correction(n);
        const auto parts_of = [n](const char* p) SAMESUM_INLINED {
            if constexpr (are_bytes)
                return state_of_run<ByteTotal<Integer, map>, VectorsOf<std::uint8_t>>(p, n).parts();
            else
                return state_of_run<Words, typename Words::Load>(p, n).parts();
        };
        if (rows == 1) {
            std::uint64_t sum = more;
            const RowTotals all = parts_of(static_cast<const char*>(x));
            for (std::size_t k = 0; k < width; ++k) sum += all.total[k];
            total[0] = static_cast<Total>(total[0] + sum);
            return;
        }
        each_fold_of_rows(static_cast<const char*>(x), row_stride, rows, parts_of,
                          [&](std::size_t r, const RowTotals& all) SAMESUM_INLINED {
                              for (std::size_t k = 0; k < width && r + k < rows; ++k)
                                  total[r + k] = static_cast<Total>(total[r + k] + all.total[k] + more);
                          });
    }

    static void add_rows(Word* words, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                         std::size_t n) {
        add_rows_of_columns<typename Words::Load>(
            p, row_stride, rows, n,
            [words](std::size_t j) SAMESUM_INLINED { return Words{load<typename Words::Vector>(words + j)}; },
            [words](std::size_t j, const Words& all) SAMESUM_INLINED { store(words + j, all.total); });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        if constexpr (!has_blocks) {
            add_rows(t.words(), p, row_stride, rows, n);
        } else {
            while (rows > 0) {
                const std::size_t now = rows < rows_per_block ? rows : rows_per_block;
                add_block(t, p, row_stride, now, n);
                p += static_cast<std::ptrdiff_t>(now) * row_stride;
                rows -= now;
            }
        }
    }

    static void add_block(Tile& t, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                          std::size_t n) {
        using Part = std::conditional_t<std::is_signed_v<Integer> && map == Map::itself,
                                        std::make_signed_t<Word>, Word>;
        std::memset(t.block, 0, (n + elements_of<typename Words::Vector>)*sizeof(Word));
        add_rows(t.block, p, row_stride, rows, n);
        for (std::size_t j = 0; j < n; ++j) {
            const Total part = static_cast<Total>(static_cast<Part>(t.block[j]));
            t.total[j] = static_cast<Total>(t.total[j] + part);
        }
    }

    static constexpr Method method() {
        return {most, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

// Signs make no difference to bits where nothing is widened, nor do magnitudes to what has no sign: the same
// code serves.
template <class Integer, class Total, Map map>
using ModularSumOf = ModularSum<BitsOfModular<Integer, Total, map>, Total,
                                std::is_unsigned_v<Integer> && map == Map::magnitude ? Map::itself : map>;

}  // namespace samesum::SAMESUM_ISA
