// What sums about a centre and sums of their squares are added up in: float64 lanes for narrow results,
// double-word lanes for others.
// Neither keeps magnitudes for its bounds: the sum of |x - c| is at most the root of n times that of squares.
#pragma once

#include "kernels/norms/spread_tile.hpp"
#include "kernels/vectors/fold.hpp"

namespace samesum::SAMESUM_ISA {

constexpr double spread_roundoff = 0x1p-53;

// Of formats whose numbers and squares lie well within the range of double.
struct NarrowSpread {
    static constexpr bool sure_nan = true;

    Doubles sum, squares;

    SAMESUM_INLINE void take(Doubles x, Doubles centre) {
        const Doubles d = x - centre;
        sum += d;
        squares = roughly_fused(d, d, squares);
    }
    SAMESUM_INLINE void join(const NarrowSpread& other) {
        sum += other.sum;
        squares += other.squares;
    }
    template <int distance>
    SAMESUM_INLINE NarrowSpread paired(const NarrowSpread& other) const {
        return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                paired_low<distance>(squares, other.squares) + paired_high<distance>(squares, other.squares)};
    }

    static SAMESUM_INLINE NarrowSpread at(const SpreadTile& t, std::size_t j) {
        return {load<Doubles>(t.work[0] + j), load<Doubles>(t.work[1] + j)};
    }
    SAMESUM_INLINE void put(SpreadTile& t, std::size_t j) const {
        store(t.work[0] + j, sum);
        store(t.work[1] + j, squares);
    }

    // Of n elements in each column, none of which went through more than `depth` additions: a difference and
    // a square are off by one rounding and three. (Lemma 51)
    SAMESUM_INLINE void add_to(SpreadTile::Totals& t, double n, double depth) const {
        const double error = (depth + 4) * (spread_roundoff * spread_slack);
        t.sum.add(sum);
        t.sum.bound += square_root(squares * n) * error;
        t.squares.add(squares);
        t.squares.bound += squares * error;
        t.count += n;
    }
};

struct WideSpread {
    static constexpr bool sure_nan = false;

    Doubles sum, rest, squares, squares_rest;
    Longs seen;  // the bits of all differences: squares may be too small to be seen

    SAMESUM_INLINE void take(Doubles x, Doubles centre) {
        Doubles d, low, error;
        two_sum(x, -centre, d, low);
        seen |= reinterpret_cast<Longs>(d);
        two_sum(sum, d, sum, error);
        rest += error + low;
        const Doubles square = d * d;
        const Doubles square_rest = roughly_fused(d + d, low, square_error(d, square));
        two_sum(squares, square, squares, error);
        squares_rest += error + square_rest;
    }
    SAMESUM_INLINE void join(const WideSpread& other) {
        Doubles error;
        two_sum(sum, other.sum, sum, error);
        rest += error + other.rest;
        two_sum(squares, other.squares, squares, error);
        squares_rest += error + other.squares_rest;
        seen |= other.seen;
    }
    template <int distance>
    SAMESUM_INLINE WideSpread paired(const WideSpread& other) const {
        WideSpread both{paired_low<distance>(sum, other.sum), paired_low<distance>(rest, other.rest),
                        paired_low<distance>(squares, other.squares),
                        paired_low<distance>(squares_rest, other.squares_rest),
                        paired_low<distance>(seen, other.seen)};
        both.join({paired_high<distance>(sum, other.sum), paired_high<distance>(rest, other.rest),
                   paired_high<distance>(squares, other.squares),
                   paired_high<distance>(squares_rest, other.squares_rest),
                   paired_high<distance>(seen, other.seen)});
        return both;
    }

    static SAMESUM_INLINE WideSpread at(const SpreadTile& t, std::size_t j) {
        return {load<Doubles>(t.work[0] + j), load<Doubles>(t.work[1] + j), load<Doubles>(t.work[2] + j),
                load<Doubles>(t.work[3] + j), load<Longs>(t.work[4] + j)};
    }
    SAMESUM_INLINE void put(SpreadTile& t, std::size_t j) const {
        store(t.work[0] + j, sum);
        store(t.work[1] + j, rest);
        store(t.work[2] + j, squares);
        store(t.work[3] + j, squares_rest);
        store(t.work[4] + j, seen);
    }

    // The low words are at most (depth + 3) 2^-53 of the total of magnitudes, and are off by (depth + 3)
    // 2^-53 of that; a square itself by less than 8 units of 2^-106. (Lemma 52)
    SAMESUM_INLINE void add_to(SpreadTile::Totals& t, double n, double depth) const {
        const double error = 2 * (depth + 8) * (depth + 8) * (0x1p-106 * spread_slack);
        const Doubles none = {}, lost = (seen & INT64_MAX) != 0 ? none + n * underflow_error : none;
        t.sum.add(sum);
        t.sum.add_low(rest);
        t.sum.bound += square_root((squares + lost) * n) * error;
        t.squares.add(squares);
        t.squares.add_low(squares_rest);
        t.squares.bound += squares * error + lost;
        t.count += n;
    }
};

}  // namespace samesum::SAMESUM_ISA
