// Exact sums of integers that need more than 64 bits: of those of 64 bits, and of squares of 32 and 64 bits.
#pragma once

#include <type_traits>

#include "exact/methods.hpp"
#include "kernels/integers/whole.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "kernels/vectors/partial.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Exact sums of squares of 32- and 64-bit integers, up to 2^31 of them: the halves of the magnitudes are
// multiplied, and the halves of the products added apart.
template <class Integer>
struct SplitSquareTotal {
    // The low and the high halves of products; of 64-bit integers of three: low by low, low by high, high by
    // high.
    static constexpr std::size_t parts = sizeof(Integer) == 8 ? 6 : 2;
    typedef Integer Elements __attribute__((vector_size(width * sizeof(Integer))));

    UnsignedLongs part[parts] = {};

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

    SAMESUM_INLINE void join(const SplitSquareTotal& other) {
        for_each_of<parts>([&](std::size_t i) SAMESUM_INLINED { part[i] += other.part[i]; });
    }

    template <int distance>
    SAMESUM_INLINE SplitSquareTotal paired(const SplitSquareTotal& other) const {
        SplitSquareTotal both;
        for_each_of<parts>([&](std::size_t i) SAMESUM_INLINED {
            both.part[i] =
                paired_low<distance>(part[i], other.part[i]) + paired_high<distance>(part[i], other.part[i]);
        });
        return both;
    }
};

// Exact sums of 64-bit terms, up to 2^31 of them: modulo 2^64, and of their high halves, from which those of
// the low halves follow.
template <class Integer, Map map>
struct SplitTotal {
    static_assert(sizeof(Integer) == 8 && (map == Map::itself || map == Map::magnitude));
    static constexpr bool has_sign = map == Map::itself && std::is_signed_v<Integer>;

    UnsignedLongs sum = {};
    Longs high = {};

    SAMESUM_INLINE void take(UnsignedLongs x) {
        if constexpr (map == Map::magnitude && std::is_signed_v<Integer>)
            x = reinterpret_cast<Longs>(x) < 0 ? 0 - x : x;
        sum += x;
        high += has_sign ? reinterpret_cast<Longs>(x) >> 32 : reinterpret_cast<Longs>(x >> 32);
    }

    // The sum of the low halves.
    SAMESUM_INLINE Longs low() const {
        return reinterpret_cast<Longs>(sum - (reinterpret_cast<UnsignedLongs>(high) << 32));
    }

    SAMESUM_INLINE void join(const SplitTotal& other) {
        sum += other.sum;
        high += other.high;
    }

    template <int distance>
    SAMESUM_INLINE SplitTotal paired(const SplitTotal& other) const {
        return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                paired_low<distance>(high, other.high) + paired_high<distance>(high, other.high)};
    }
};

struct SplitTile {
    std::int64_t high[tile_pitch], low[tile_pitch];

    static SplitTile& of(void* tile) {
        static_assert(sizeof(SplitTile) <= tile_bytes);
        return *static_cast<SplitTile*>(tile);
    }

    // Up to a vector of columns after the last one may be added to.
    static void init(void* tile, std::size_t n) {
        static_assert(tile_pitch >= tile_columns + width);
        for (std::size_t j = 0; j < n + width; ++j) of(tile).high[j] = of(tile).low[j] = 0;
    }

    // To a vector of columns.
    template <class Part>
    SAMESUM_INLINE void add(std::size_t j, const Part& part) {
        store(high + j, load<Longs>(high + j) + part.high);
        store(low + j, load<Longs>(low + j) + part.low());
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        of(tile).high[j] += static_cast<const SplitTile*>(from)->high[i];
        of(tile).low[j] += static_cast<const SplitTile*>(from)->low[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const SplitTile& t = of(tile);
        const auto total_at = [&t](std::size_t j) {
            const Longs low = load<Longs>(t.low + j), high = load<Longs>(t.high + j) + (low >> 32);
            return whole_total<52>(high >> 20, (high & 0xfffff) << 32 | (low & UINT32_MAX));
        };
        return finish_whole(total_at, n, how, out, failed);
    }
};

template <class Integer, Map map>
struct SplitSum {
    using Part = SplitTotal<Integer, map>;
    using Load = VectorsOf<std::uint64_t>;

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return state_of_run<Part, Load>(p, n); },
            [&](std::size_t r, const Part& all) SAMESUM_INLINED { SplitTile::of(tile).add(j + r, all); });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        add_rows_of_columns<Load>(
            static_cast<const char*>(x), row_stride, rows, n,
            [](std::size_t) SAMESUM_INLINED { return Part{}; },
            [&](std::size_t j, const Part& all) SAMESUM_INLINED { SplitTile::of(tile).add(j, all); });
    }

    static constexpr Method method() {
        return {tile_columns,     SplitTile::init, lanes, columns, each_merge<SplitTile::merge>,
                SplitTile::finish};
    }
};

template <class Integer>
struct SplitSquares {
    using Parts = SplitSquareTotal<Integer>;
    using Load = VectorsOf<Integer, width * sizeof(Integer)>;
    static constexpr std::size_t parts = Parts::parts;
    // Their tiles are to stay in the cache.
    static constexpr std::size_t most_columns = sizeof(Integer) == 8 ? 256 : tile_columns;

    struct Tile {
        std::uint64_t part[parts][most_columns + 24];

        static Tile& of(void* tile) {
            static_assert(sizeof(Tile) <= tile_bytes);
            return *static_cast<Tile*>(tile);
        }
        SAMESUM_INLINE Parts at(std::size_t j) const {
            Parts all;
            for (std::size_t i = 0; i < parts; ++i) all.part[i] = load<UnsignedLongs>(part[i] + j);
            return all;
        }
        SAMESUM_INLINE void put(std::size_t j, const Parts& all) {
            for (std::size_t i = 0; i < parts; ++i) store(part[i] + j, all.part[i]);
        }
    };

    static void init(void* tile, std::size_t n) {
        for (auto& part : Tile::of(tile).part) std::memset(part, 0, (n + width) * sizeof(std::uint64_t));
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return state_of_run<Parts, Load, 2>(p, n); },
            [&](std::size_t r, Parts all) SAMESUM_INLINED {
                all.join(Tile::of(tile).at(j + r));
                Tile::of(tile).put(j + r, all);
            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        add_rows_of_columns<Load>(
            static_cast<const char*>(x), row_stride, rows, n,
            [&](std::size_t j) SAMESUM_INLINED { return Tile::of(tile).at(j); },
            [&](std::size_t j, const Parts& all) SAMESUM_INLINED { Tile::of(tile).put(j, all); });
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
