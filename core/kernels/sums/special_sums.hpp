// Sums of float64 that need no addition: of sets with infinities or NaNs, and the squares of zeros alone,
// which other sums cannot tell from squares that underflow. They fail for all other sets.
#pragma once

#include <limits>

#include "arithmetic/rounding.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of what is not finite, and whether there is anything but zeros.
template <bool signs_count>
struct SpecialTotal {
    Doubles total = {};  // of infinities and NaNs: 0 if there are none
    Longs any = {};      // bits of all elements but for signs

    static SAMESUM_INLINE SpecialTotal at(const double* total, const std::int64_t* any) {
        return {load<Doubles>(total), load<Longs>(any)};
    }
    SAMESUM_INLINE void put(double* total_to, std::int64_t* any_to) const {
        store(total_to, total);
        store(any_to, any);
    }

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles magnitude = samesum::SAMESUM_ISA::magnitude(x), none = {};
        total += magnitude < infinity ? none : signs_count ? x : magnitude;
        any |= reinterpret_cast<Longs>(magnitude);
    }
    SAMESUM_INLINE void join(const SpecialTotal& other) {
        total += other.total;
        any |= other.any;
    }
    template <int distance>
    SAMESUM_INLINE SpecialTotal paired(const SpecialTotal& other) const {
        SpecialTotal both{paired_low<distance>(total, other.total), paired_low<distance>(any, other.any)};
        both.join({paired_high<distance>(total, other.total), paired_high<distance>(any, other.any)});
        return both;
    }
};

struct SpecialTile {
    double total[tile_pitch];
    std::int64_t any[tile_pitch];

    static SpecialTile& of(void* tile) {
        static_assert(sizeof(SpecialTile) <= tile_bytes);
        return *static_cast<SpecialTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n + width; ++j) of(tile).total[j] = 0, of(tile).any[j] = 0;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        of(tile).total[j] += static_cast<const SpecialTile*>(from)->total[i];
        of(tile).any[j] |= static_cast<const SpecialTile*>(from)->any[i];
    }
    static constexpr auto merge_all = each_merge<merge>;

    static double finalized(double total, Finalize how) {
        if (how != Finalize::logarithm || total > 0) return total;
        return total == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
    }

    template <bool zeros_count>
    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const SpecialTile& t = of(tile);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            failed[j] = t.total[j] == 0 && (!zeros_count || t.any[j] != 0);
            failures += failed[j];
            if (!failed[j])
                store_bits(out, j, round_bits(finalized(t.total[j], how.finalize), how.format),
                           size_of(how.format));
        }
        return failures;
    }
};

template <Map map>
struct SpecialSums {
    using Tile = SpecialTile;
    using Found = SpecialTotal<map == Map::itself>;
    using Load = DoublesOf<Float64>;

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = Tile::of(tile);
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return state_of_run<Found, Load>(p, n); },
            [&](std::size_t r, Found all) SAMESUM_INLINED {
                all.join(Found::at(t.total + j + r, t.any + j + r));
                all.put(t.total + j + r, t.any + j + r);
            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        add_rows_of_columns<Load>(
            static_cast<const char*>(x), row_stride, rows, n,
            [&](std::size_t j) SAMESUM_INLINED { return Found::at(t.total + j, t.any + j); },
            [&](std::size_t j, const Found& all) SAMESUM_INLINED { all.put(t.total + j, t.any + j); });
    }

    // Those of magnitudes and of squares are the same.
    static constexpr Method method() {
        using Of = SpecialSums<map == Map::itself ? Map::itself : Map::magnitude>;
        return {tile_columns, Tile::init,      Of::lanes,
                Of::columns,  Tile::merge_all, Tile::finish<map == Map::square>};
    }
};

}  // namespace samesum::SAMESUM_ISA
