// Exact sums of integers that need more than 64 bits: of those of 64 bits, and of squares of 32 and 64 bits.
#pragma once

#include <type_traits>

#include "kernels/integers/whole.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/integer_products.hpp"
#include "kernels/vectors/partial.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Exact sums of terms below 2^64, up to 2^31 of them: modulo 2^64, and of their high halves, from which those
// of the low halves follow. Squares of 64-bit integers are such terms where no magnitude is beyond 2^32.
template <class Integer, Map map>
struct SplitTotal {
    static constexpr bool is_square = map == Map::square, is_wide = sizeof(Integer) == 8,
                          has_sign = map == Map::itself && std::is_signed_v<Integer>,
                          may_be_beyond = is_square && is_wide;
    static_assert(is_wide || is_square);
    typedef Integer Elements __attribute__((vector_size(width * sizeof(Integer))));

    UnsignedLongs sum = {};
    Longs high = {};
    UnsignedLongs beyond = {};  // high halves of what is squared

    SAMESUM_INLINE void take(Elements x) {
        UnsignedLongs term = __builtin_convertvector(x, UnsignedLongs);
        if constexpr (map != Map::itself && std::is_signed_v<Integer>)
            term = reinterpret_cast<Longs>(term) < 0 ? 0 - term : term;
        if constexpr (may_be_beyond) beyond |= term >> 32;
        if constexpr (is_square) term = product_of_halves(term, term);
        sum += term;
        high += has_sign ? reinterpret_cast<Longs>(term) >> 32 : reinterpret_cast<Longs>(term >> 32);
    }

    // The sum of the low halves.
    SAMESUM_INLINE Longs low() const {
        return reinterpret_cast<Longs>(sum - (reinterpret_cast<UnsignedLongs>(high) << 32));
    }

    SAMESUM_INLINE void join(const SplitTotal& other) {
        sum += other.sum;
        high += other.high;
        beyond |= other.beyond;
    }
    template <int distance>
    SAMESUM_INLINE SplitTotal paired(const SplitTotal& other) const {
        return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                paired_low<distance>(high, other.high) + paired_high<distance>(high, other.high),
                paired_low<distance>(beyond, other.beyond) | paired_high<distance>(beyond, other.beyond)};
    }
};

struct SplitTile {
    std::int64_t high[tile_pitch], low[tile_pitch];
    std::uint64_t beyond[tile_pitch];

    static SplitTile& of(void* tile) {
        static_assert(sizeof(SplitTile) <= tile_bytes);
        return *static_cast<SplitTile*>(tile);
    }

    // Up to a vector of columns after the last one may be added to.
    static void init(void* tile, std::size_t n) {
        static_assert(tile_pitch >= tile_columns + width);
        for (std::size_t j = 0; j < n + width; ++j)
            of(tile).high[j] = of(tile).low[j] = 0, of(tile).beyond[j] = 0;
    }

    // To a vector of columns.
    template <class Part>
    SAMESUM_INLINE void add(std::size_t j, const Part& part) {
        store(high + j, load<Longs>(high + j) + part.high);
        store(low + j, load<Longs>(low + j) + part.low());
        if constexpr (Part::may_be_beyond) store(beyond + j, load<UnsignedLongs>(beyond + j) | part.beyond);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        of(tile).high[j] += static_cast<const SplitTile*>(from)->high[i];
        of(tile).low[j] += static_cast<const SplitTile*>(from)->low[i];
        of(tile).beyond[j] |= static_cast<const SplitTile*>(from)->beyond[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const SplitTile& t = of(tile);
        const auto total_at = [&t](std::size_t j) {
            const Longs low = load<Longs>(t.low + j), high = load<Longs>(t.high + j) + (low >> 32);
            return whole_total<52>(high >> 20, (high & 0xfffff) << 32 | (low & UINT32_MAX));
        };
        finish_whole(total_at, n, how, out, failed);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            failed[j] |= t.beyond[j] != 0;
            failures += failed[j];
        }
        return failures;
    }
};

template <class Integer, Map map>
struct SplitSum {
    using Part = SplitTotal<Integer, map>;
    using Load = VectorsOf<Integer, width * sizeof(Integer)>;

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

}  // namespace samesum::SAMESUM_ISA
