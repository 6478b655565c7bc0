// Sums and products of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/blocks/byte_totals.hpp"
#include "kernels/integers/narrow_products.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Through unsigned int, for 16-bit products would otherwise overflow a signed one.
template <class Total>
SAMESUM_INLINE Total times(Total a, Total b) {
    return static_cast<Total>(std::common_type_t<Total, unsigned>{a} * b);
}

// Totals of columns, with which a tile begins.
template <class Total, bool product>
struct ModularTotals {
    static_assert(std::is_unsigned_v<Total>);
    static constexpr Total identity = product ? 1 : 0;

    template <class To>
    static SAMESUM_INLINE To combined(To a, To b) {
        return product ? times(a, b) : static_cast<To>(a + b);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) static_cast<Total*>(tile)[j] = identity;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Total& column = static_cast<Total*>(tile)[j];
        column = combined(column, static_cast<const Total*>(from)[i]);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const std::size_t size = size_of(how.format);  // at most that of Total: the low bytes are the result
        const Total* total = static_cast<Total*>(tile);
        if (size == sizeof(Total)) std::memcpy(out, total, n * sizeof(Total));
        for (std::size_t j = 0; j < n && size < sizeof(Total); ++j) store_bits(out, j, total[j], size);
        std::memset(failed, 0, n);
        return 0;
    }
};

template <class Integer, class Total, Map map, bool product = false>
struct Modular : ModularTotals<Total, product> {
    using Totals = ModularTotals<Total, product>;
    using Totals::combined, Totals::identity;

    // Sums of so many rows of small elements fit into narrower words, of which a vector holds more.
    static constexpr std::size_t rows_per_block = 128;
    static constexpr bool is_narrow =
        !product && sizeof(Integer) <= 2 && (sizeof(Integer) == 1 || map != Map::square);
    using Narrow =
        std::conditional_t<sizeof(Integer) == 1 && map != Map::square, std::uint16_t, std::uint32_t>;
    static constexpr bool has_blocks = is_narrow && sizeof(Total) > sizeof(Narrow);
    using Block = std::conditional_t<has_blocks, Narrow, Total>;

    static constexpr bool are_bytes = product && sizeof(Integer) == 1 && sizeof(Total) == 1,
                          are_pairs = product && sizeof(Integer) <= 2 && sizeof(Total) == 8;
    static constexpr std::size_t rows_at_once = are_pairs ? 8 / sizeof(Integer) : 4;

    static constexpr std::size_t most = has_blocks ? columns_of(sizeof(Integer)) : tile_columns;
    struct Tile {  // begins with the totals
        Total total[most + 24];
        Block block[most + 24];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    template <class To = Total>
    static SAMESUM_INLINE To mapped(const char* p) {
        Integer x;
        __builtin_memcpy(&x, p, sizeof x);
        const To wide = static_cast<To>(x);
        if constexpr (map == Map::magnitude && std::is_signed_v<Integer>) {
            return x < 0 ? static_cast<To>(To{0} - wide) : wide;
        }
        if constexpr (map == Map::square) return times(wide, wide);
        return wide;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        if constexpr (sizeof(Integer) == 1 && !product) {
            Total* const total = static_cast<Tile*>(tile)->total + j;
            const auto take = [total](std::size_t r, std::uint64_t sum) {
                total[r] = static_cast<Total>(total[r] + sum);
            };
            ByteTotal<Integer, map>::each(static_cast<const char*>(x), n, row_stride, rows, take);
        } else {
            each_lane<lane>(tile, j, x, n, row_stride, rows);
        }
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Total& column = static_cast<Tile*>(tile)->total[j];
        if constexpr (are_bytes) {
            column = combined(column, product_of_bytes(static_cast<const char*>(x), n));
        } else if constexpr (are_pairs) {
            column *= wide_product<Integer>(static_cast<const char*>(x), n);
        } else {
            lane_by_chains(tile, j, x, n);
        }
    }

    static void lane_by_chains(void* tile, std::size_t j, const void* x, std::size_t n) {
        constexpr std::size_t lanes = 4 * vector_bytes / sizeof(Total);
        Total part[lanes];
        for (std::size_t k = 0; k < lanes; ++k) part[k] = identity;
        const char* p = static_cast<const char*>(x);
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, p += lanes * sizeof(Integer)) {
            prefetch_run<lanes * sizeof(Integer)>(p);
            for (std::size_t k = 0; k < lanes; ++k)
                part[k] = combined(part[k], mapped(p + k * sizeof(Integer)));
        }
        Total total = identity;
        for (; i < n; ++i, p += sizeof(Integer)) total = combined(total, mapped(p));
        for (std::size_t k = 0; k < lanes; ++k) total = combined(total, part[k]);
        Total& column = static_cast<Tile*>(tile)->total[j];
        column = combined(column, total);
    }

    template <std::size_t rows, class To>
    static SAMESUM_INLINE void add_rows(To* total, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        each_stretch<rows, sizeof(Integer)>(x, row_stride, n,
                                            [&](std::size_t j, const char* p, std::size_t here) {
                                                take_rows<rows>(total + j, p, row_stride, here);
                                            });
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void take_bytes(std::uint8_t* total, const char* x, std::ptrdiff_t row_stride) {
        ByteProduct all = ByteProduct::of(load<Words16>(total));
        for (std::size_t r = 0; r < rows; ++r)
            all.take(load<Words16>(x + static_cast<std::ptrdiff_t>(r) * row_stride));
        store(total, all.bytes());
    }

    template <std::size_t rows, class To>
    static SAMESUM_INLINE void take_rows(To* __restrict total, const char* x, std::ptrdiff_t row_stride,
                                         std::size_t n) {
        std::size_t j = 0;
        if constexpr (are_bytes) {
            for (; j + vector_bytes <= n; j += vector_bytes) take_bytes<rows>(total + j, x + j, row_stride);
        }
        if constexpr (are_pairs && rows == rows_at_once) {
            for (; j < n; ++j)
                total[j] *=
                    static_cast<To>(product_of_column<Integer, rows>(x + j * sizeof(Integer), row_stride));
        }
        for (; j < n; ++j) {
            To t = total[j];
            for (std::size_t r = 0; r < rows; ++r)
                t = combined(
                    t, mapped<To>(x + static_cast<std::ptrdiff_t>(r) * row_stride + j * sizeof(Integer)));
            total[j] = t;
        }
    }

    template <class To>
    static void add_all(To* total, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        std::size_t r = 0;
        constexpr std::ptrdiff_t step = rows_at_once;
        for (; r + rows_at_once <= rows; r += rows_at_once, p += step * row_stride)
            add_rows<rows_at_once>(total, p, row_stride, n);
        for (; r < rows; ++r, p += row_stride) add_rows<1>(total, p, row_stride, n);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        if constexpr (!has_blocks) {
            add_all(t.total, p, row_stride, rows, n);
        } else {
            for (; rows > rows_per_block; rows -= rows_per_block) {
                add_block(t, p, row_stride, rows_per_block, n);
                p += static_cast<std::ptrdiff_t>(rows_per_block) * row_stride;
            }
            add_block(t, p, row_stride, rows, n);
        }
    }

    static void add_block(Tile& t, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                          std::size_t n) {
        using Part = std::conditional_t<std::is_signed_v<Integer> && map == Map::itself,
                                        std::make_signed_t<Block>, Block>;
        std::memset(t.block, 0, n * sizeof(Block));
        add_all(t.block, p, row_stride, rows, n);
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
using BitsOfModular = std::conditional_t<sizeof(Integer) == sizeof(Total) && map != Map::magnitude,
                                         std::make_unsigned_t<Integer>, Integer>;
template <class Integer, class Total, Map map, bool product = false>
using ModularOf = Modular<BitsOfModular<Integer, Total, map>, Total,
                          std::is_unsigned_v<Integer> && map == Map::magnitude ? Map::itself : map, product>;

}  // namespace samesum::SAMESUM_ISA
