// Totals of columns in double-words with bounds: what the tiles of all sums of floats begin with.
#pragma once

#include <cstring>
#include <initializer_list>

#include "kernels/certify/certify.hpp"
#include "kernels/scans/sums.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

constexpr std::size_t padded(std::size_t n) { return (n + width - 1) / width * width; }

// Up to a vector of columns after the last one may be added to.
struct TotalsTile {
    double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch];

    static TotalsTile& of(void* tile) { return *static_cast<TotalsTile*>(tile); }

    static void init(void* tile, std::size_t n) {
        static_assert(tile_pitch >= tile_columns + width);
        for (double* const part : {of(tile).hi, of(tile).lo, of(tile).bound})
            std::memset(part, 0, (n + width) * sizeof(double));
    }

    SAMESUM_INLINE void add(std::size_t j, const Sum& some) {
        Sum total{hi[j], lo[j], bound[j]};
        samesum::add(total, some);
        hi[j] = total.hi;
        lo[j] = total.lo;
        bound[j] = total.bound;
    }

    // To a vector of columns. What is not finite came from the data and stays, or overflowed.
    SAMESUM_INLINE void add(std::size_t j, Doubles sum, Doubles error) {
        Sums total = Sums::at(hi + j, lo + j, bound + j);
        total.bound += error;
        total.add(sum);
        total.put(hi + j, lo + j, bound + j);
    }
    SAMESUM_INLINE void add(std::size_t j, Doubles sum, Doubles rest, Doubles error) {
        Sums total = Sums::at(hi + j, lo + j, bound + j);
        total.add(sum);
        total.add_low(rest);
        total.bound += error;
        total.put(hi + j, lo + j, bound + j);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const TotalsTile& f = *static_cast<const TotalsTile*>(from);
        of(tile).add(j, {f.hi[i], f.lo[i], f.bound[i]});
    }
    static constexpr auto merge_all = each_merge<merge>;

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        return certify_words({of(tile).hi, of(tile).lo, of(tile).bound}, n, how, out, failed);
    }
    static std::size_t finish_interval(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed) {
        return certify_interval({of(tile).hi, of(tile).lo, of(tile).bound}, n, how, out, failed);
    }
};

}  // namespace samesum::SAMESUM_ISA
