// Totals of columns in double-words with bounds, as the sums of float16, bfloat16 and float32 in lanes add to
// them.
#pragma once

#include "kernels/certify/certify.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// `block`, `greatest` and `least` are of the rows since the last flush.
struct Sum1Tile {
    double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch], block[tile_pitch];
    float greatest[tile_pitch];
    std::uint32_t least[tile_pitch];

    static void init(void* tile, std::size_t n) {
        Sum1Tile& t = *static_cast<Sum1Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.hi[j] = t.lo[j] = t.bound[j] = 0;
    }

    // Sums overflow no double: what is not finite came from the data and stays.
    SAMESUM_INLINE void add(std::size_t j, double sum, double error) {
        double carry, residual;
        two_sum(hi[j], sum, hi[j], carry);
        two_sum(lo[j], carry, lo[j], residual);
        bound[j] += error + samesum::magnitude(residual);
    }

    // To a vector of columns.
    SAMESUM_INLINE void add(std::size_t j, Doubles sum, Doubles error) {
        Doubles high, low, carry, residual;
        two_sum(load<Doubles>(hi + j), sum, high, carry);
        two_sum(load<Doubles>(lo + j), carry, low, residual);
        store(hi + j, high);
        store(lo + j, low);
        store(bound + j, load<Doubles>(bound + j) + error + samesum::SAMESUM_ISA::magnitude(residual));
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Sum1Tile& t = *static_cast<Sum1Tile*>(tile);
        const Sum1Tile& f = *static_cast<const Sum1Tile*>(from);
        t.add(j, f.hi[i], f.bound[i]);
        double residual;
        two_sum(t.lo[j], f.lo[i], t.lo[j], residual);
        t.bound[j] += samesum::magnitude(residual);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        Sum1Tile& t = *static_cast<Sum1Tile*>(tile);
        return certify_interval({t.hi, t.lo, t.bound}, n, how, out, failed);
    }
};
static_assert(sizeof(Sum1Tile) <= tile_bytes);

}  // namespace samesum::SAMESUM_ISA
