// Exact sums of squares of 32- and 64-bit integers of up to 2^31 - 1 elements, in vectors: the halves of the
// magnitudes are multiplied, and the halves of the products added apart.
#pragma once

#include <type_traits>

#include "exact/methods.hpp"
#include "kernels/integers/whole.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/integer_products.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer>
struct SplitSquares {
    // The low and the high halves of products; of 64-bit integers of three: low by low, low by high, high by
    // high.
    static constexpr std::size_t parts = sizeof(Integer) == 8 ? 6 : 2;
    // Their tiles are to stay in the cache.
    static constexpr std::size_t most_columns = sizeof(Integer) == 8 ? 256 : tile_columns;
    typedef Integer Elements __attribute__((vector_size(width * sizeof(Integer))));

    struct Parts {
        UnsignedLongs part[parts] = {};

        template <int distance>
        SAMESUM_INLINE Parts paired(const Parts& other) const {
            Parts both;
            for (std::size_t i = 0; i < parts; ++i)
                both.part[i] = paired_low<distance>(part[i], other.part[i]) +
                               paired_high<distance>(part[i], other.part[i]);
            return both;
        }
        SAMESUM_INLINE void add(std::size_t at, UnsignedLongs product) {
            part[at] += product & UINT32_MAX;
            part[at + 1] += product >> 32;
        }
        SAMESUM_INLINE void take(Elements x) {
            if constexpr (std::is_same_v<Integer, std::int32_t>) {
                const Longs wide = __builtin_convertvector(x, Longs);
                return add(0, reinterpret_cast<UnsignedLongs>(product_of_halves(wide, wide)));
            }
            UnsignedLongs size = __builtin_convertvector(x, UnsignedLongs);
            if constexpr (std::is_signed_v<Integer>) {
                const UnsignedLongs negative =
                    reinterpret_cast<UnsignedLongs>(reinterpret_cast<Longs>(size) >> 63);
                size = (size ^ negative) - negative;
            }
            add(0, product_of_halves(size, size));
            if constexpr (sizeof(Integer) == 8) {
                const UnsignedLongs high = size >> 32;
                add(2, product_of_halves(size, high));
                add(4, product_of_halves(high, high));
            }
        }
    };

    struct Tile {
        std::uint64_t part[parts][most_columns + 24];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static SAMESUM_INLINE Elements beginning(const char* p, std::size_t n) {
        Elements x = {};
        __builtin_memcpy(&x, p, n * sizeof(Integer));
        return x;
    }

    static void init(void* tile, std::size_t n) {
        for (auto& part : static_cast<Tile*>(tile)->part) std::memset(part, 0, n * sizeof(std::uint64_t));
    }

    static SAMESUM_INLINE Parts parts_of(const char* p, std::size_t n) {
        Parts sums[2];
        for (; n >= 2 * width; n -= 2 * width, p += 2 * sizeof(Elements)) {
            prefetch_run<2 * sizeof(Elements)>(p);
            for (std::size_t k = 0; k < 2; ++k) sums[k].take(load<Elements>(p + k * sizeof(Elements)));
        }
        if (n >= width) sums[0].take(load<Elements>(p)), n -= width, p += sizeof(Elements);
        if (n > 0) sums[1].take(beginning(p, n));
        for (std::size_t i = 0; i < parts; ++i) sums[0].part[i] += sums[1].part[i];
        return sums[0];
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (; rows >= width; rows -= width, j += width) {
            Parts row[width];
            for (std::size_t r = 0; r < width; ++r, p += row_stride) row[r] = parts_of(p, n);
            const Parts all = folded_rows(row);
            for (std::size_t i = 0; i < parts; ++i)
                store(t.part[i] + j, load<UnsignedLongs>(t.part[i] + j) + all.part[i]);
        }
        for (; rows > 0; --rows, ++j, p += row_stride) {
            const Parts all = parts_of(p, n);
            for (std::size_t i = 0; i < parts; ++i)
                for (std::size_t k = 0; k < width; ++k) t.part[i][j] += all.part[i][k];
        }
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width, x += sizeof(Elements)) {
            const char* p = x;
            prefetch_rows<rows>(p + static_cast<std::ptrdiff_t>(rows) * row_stride, row_stride, 1);
            Parts sums;
            for (std::size_t i = 0; i < parts; ++i) sums.part[i] = load<UnsignedLongs>(t.part[i] + j);
            for (std::size_t r = 0; r < rows; ++r, p += row_stride)
                sums.take(n - j < width ? beginning(p, n - j) : load<Elements>(p));
            for (std::size_t i = 0; i < parts; ++i) store(t.part[i] + j, sums.part[i]);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (; rows >= 4; rows -= 4, p += 4 * row_stride) add_rows<4>(t, p, row_stride, n);
        for (; rows > 0; --rows, p += row_stride) add_rows<1>(t, p, row_stride, n);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        for (std::size_t k = 0; k < parts; ++k)
            static_cast<Tile*>(tile)->part[k][j] += static_cast<const Tile*>(from)->part[k][i];
    }

    static WholeWords words_of(const Tile& t, std::size_t j) {
        using u128 = unsigned __int128;
        constexpr int shifts[] = {0, 32, 33, 65, 64, 96};
        WholeWords words{};
        for (std::size_t i = 0; i < parts; ++i) {
            const int down = shifts[i] / 64;
            const u128 part = u128{t.part[i][j]} << shifts[i] % 64;
            u128 sum = u128{words.word[down]} + static_cast<std::uint64_t>(part);
            words.word[down] = static_cast<std::uint64_t>(sum);
            sum = (sum >> 64) + u128{words.word[down + 1]} + (part >> 64);
            words.word[down + 1] = static_cast<std::uint64_t>(sum);
            if (down == 0) words.word[2] += static_cast<std::uint64_t>(sum >> 64);
        }
        return words;
    }

    // Infinite where there are high halves.
    static SAMESUM_INLINE WholeTotal total_at(const Tile& t, std::size_t j) {
        const Longs low = load<Longs>(t.part[0] + j), high = load<Longs>(t.part[1] + j) + (low >> 32);
        WholeTotal total = whole_total<52>(high >> 20, (high & 0xfffff) << 32 | (low & UINT32_MAX));
        if constexpr (parts == 6) {
            const Longs more = load<Longs>(t.part[2] + j) | load<Longs>(t.part[3] + j) |
                               load<Longs>(t.part[4] + j) | load<Longs>(t.part[5] + j);
            const Doubles none = {};
            total.high += more != 0 ? none + infinity : none;
        }
        return total;
    }

    // What vectors leave open is rounded one by one.
    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<const Tile*>(tile);
        if (finish_whole([&t](std::size_t j) { return total_at(t, j); }, n, how, out, failed) == 0) return 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (failed[j]) store_bits(out, j, rounded_whole(words_of(t, j), how), size_of(how.format));
        }
        std::memset(failed, 0, n);
        return 0;
    }

    static constexpr Method method() {
        return {most_columns, init, lanes, columns, each_merge<merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
