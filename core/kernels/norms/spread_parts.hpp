// What sets have about a centre: the sums of x - c and of its squares, in double-words with bounds, and what
// they are added up in: float64 lanes for narrow results, double-word lanes for others.
// Neither keeps magnitudes for its bounds: the sum of |x - c| is at most the root of n times that of squares.
#pragma once

#include "kernels/certify/words.hpp"
#include "kernels/scans/sums.hpp"
#include "kernels/vectors/fold.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Scratch for the roundings of a bound's own arithmetic.
constexpr double spread_slack = 1.01;
// What a few operations on double-words round off, of the largest of them: below 64 u^2 (Lemma 55).
constexpr double words_error = 0x1p-98;

// Any centre is right; one near the mean loses no bits. It is the first element that a column gets, and sets
// with other centres are moved to it where they are merged.
struct SpreadTile {
    static constexpr std::size_t columns = 416, pitch = columns + 24, words = 5;

    double centre[pitch], count[pitch];
    double sum[pitch], sum_rest[pitch], sum_bound[pitch];
    double squares[pitch], squares_rest[pitch], squares_bound[pitch];
    double work[words][pitch];  // of the rows that are being added

    static void init(void* tile, std::size_t n) {
        SpreadTile& t = *static_cast<SpreadTile*>(tile);
        n = (n + width - 1) / width * width;
        for (std::size_t j = 0; j < n; ++j) {
            t.centre[j] = t.count[j] = 0;
            t.sum[j] = t.sum_rest[j] = t.sum_bound[j] = 0;
            t.squares[j] = t.squares_rest[j] = t.squares_bound[j] = 0;
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        SpreadTile& t = *static_cast<SpreadTile*>(tile);
        const SpreadTile& f = *static_cast<const SpreadTile*>(from);
        if (f.count[i] == 0) return;
        if (t.count[j] == 0) t.centre[j] = f.centre[i];
        Sum sum{t.sum[j], t.sum_rest[j], t.sum_bound[j]},
            squares{t.squares[j], t.squares_rest[j], t.squares_bound[j]};
        const Sum moved{f.sum[i], f.sum_rest[i], f.sum_bound[i]};
        samesum::add(sum, moved);
        samesum::add(squares, Sum{f.squares[i], f.squares_rest[i], f.squares_bound[i]});
        double step, rest;
        two_sum(f.centre[i], -t.centre[j], step, rest);
        if (step != 0) {
            // x - c is (x - c') + d: n d more in the sum, 2 d (sum) + d (n d) in that of squares.
            const Sum steps = product(step, rest, {f.count[i], 0, 0});
            samesum::add(sum, steps);
            samesum::add(squares, product(2 * step, 2 * rest, moved));
            samesum::add(squares, product(step, rest, steps));
        }
        t.count[j] += f.count[i];
        t.sum[j] = sum.hi, t.sum_rest[j] = sum.lo, t.sum_bound[j] = sum.bound;
        t.squares[j] = squares.hi, t.squares_rest[j] = squares.lo, t.squares_bound[j] = squares.bound;
    }

    // (hi + lo) * b, whose second word is the greater one where the first has cancelled. (Lemma 54)
    static SAMESUM_INLINE Sum product(double hi, double lo, const Sum& b) {
        const double p = hi * b.hi, low = hi * b.lo;
        const double rest = __builtin_fma(hi, b.hi, -p) + (low + lo * b.hi);
        const double rounding = samesum::magnitude(p) * words_error + samesum::magnitude(low) * 0x1p-51;
        return {p, rest, (rounding + samesum::magnitude(hi) * b.bound) * spread_slack + underflow_error};
    }

    static Centres centres(void* tile) {
        SpreadTile& t = *static_cast<SpreadTile*>(tile);
        return {t.centre, t.count};
    }

    // A vector of columns.
    struct Totals {
        Doubles centre, count;
        Sums sum, squares;
    };
    SAMESUM_INLINE Totals totals(std::size_t j) const {
        return {load<Doubles>(centre + j), load<Doubles>(count + j),
                Sums::at(sum + j, sum_rest + j, sum_bound + j),
                Sums::at(squares + j, squares_rest + j, squares_bound + j)};
    }
    SAMESUM_INLINE void put(std::size_t j, const Totals& t) {
        store(centre + j, t.centre);
        store(count + j, t.count);
        t.sum.put(sum + j, sum_rest + j, sum_bound + j);
        t.squares.put(squares + j, squares_rest + j, squares_bound + j);
    }
    // The first n columns: those beyond may be others' that got no element now.
    SAMESUM_INLINE void put_some(std::size_t j, const Totals& t, std::size_t n) {
        if (n >= width) return put(j, t);
        for (std::size_t k = 0; k < n; ++k) {
            centre[j + k] = t.centre[k], count[j + k] = t.count[k];
            sum[j + k] = t.sum.hi[k], sum_rest[j + k] = t.sum.lo[k], sum_bound[j + k] = t.sum.bound[k];
            squares[j + k] = t.squares.hi[k], squares_rest[j + k] = t.squares.lo[k];
            squares_bound[j + k] = t.squares.bound[k];
        }
    }
};
static_assert(sizeof(SpreadTile) <= tile_bytes);

// a + b + c in two words, and what was lost; zero where the result is exact.
SAMESUM_INLINE void three_sum(Doubles a, Doubles b, Doubles c, Doubles& sum, Doubles& rest, Doubles& lost) {
    Doubles first, second;
    two_sum(b, c, b, first);
    two_sum(a, b, sum, second);
    two_sum(second, first, rest, lost);
}

// squares - sum^2 / n, the sum of the squares about the mean, in two words. What is exact has no bound, a
// zero among it. (Lemma 55)
SAMESUM_INLINE Words2 spread_of(const SpreadTile::Totals& t, Doubles n) {
    const Doubles none = {};
    Doubles sh, sl, qh, ql, vh, vl, e, lost, more;
    two_sum(t.sum.hi, t.sum.lo, sh, sl);
    two_sum(t.squares.hi, t.squares.lo, qh, ql);
    const Doubles mean = sh / n, remainder = fused(-mean, n, sh), mean_rest = (remainder + sl) / n;
    const Doubles p = sh * mean, cross = sh * mean_rest + sl * mean, p_rest = fused(sh, mean, -p) + cross;
    two_sum(qh, -p, vh, e);
    three_sum(vh, e, ql - p_rest, vh, vl, lost);
    two_sum(ql, -p_rest, e, more);
    const Longs exact = (remainder == 0) & (sl == 0) & (lost == 0) & (more == 0) &
                        ((sh == 0) | (samesum::SAMESUM_ISA::magnitude(sh) > 0x1p-400));
    const Doubles size = samesum::SAMESUM_ISA::magnitude(mean) * 2 + t.sum.bound / n;
    const Doubles rounding = qh * words_error, own = t.squares.bound + size * t.sum.bound;
    const Doubles bound = (own + (exact ? none : rounding)) * spread_slack;
    const Longs zero = (qh == 0) & (t.squares.bound == 0), safe = (qh > 0x1p-800) & (qh < 0x1p1000);
    return {zero ? none : vh, zero ? none : vl, zero ? none : safe ? bound : none + infinity};
}

// The same over a divisor.
SAMESUM_INLINE Words2 divided(const Words2& spread, Doubles m) {
    const Doubles none = {}, quotient = spread.hi / m;
    Doubles remainder, lost;
    two_sum(fused(-quotient, m, spread.hi), spread.lo, remainder, lost);
    const Doubles rest = remainder / m;
    const Longs exact = (lost == 0) & (fused(-rest, m, remainder) == 0) &
                        ((spread.hi == 0) | (samesum::SAMESUM_ISA::magnitude(spread.hi) > 0x1p-800));
    // The first word may have cancelled.
    const Doubles rounding = samesum::SAMESUM_ISA::magnitude(quotient) * words_error +
                             samesum::SAMESUM_ISA::magnitude(rest) * 0x1p-51;
    const Doubles bound = (spread.bound / m + (exact ? none : rounding)) * spread_slack;
    return {quotient, rest, bound};
}

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

// `sure_nan`: what is not finite came from the elements.
template <bool sure_nan>
std::size_t finish_spread(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    SpreadTile& t = *static_cast<SpreadTile*>(tile);
    for (std::size_t j = 0; j < n; j += width) {
        const Doubles none = {}, count = counts_at(how, j);
        Doubles divisor, rest;
        two_sum(count, none - how.correction, divisor, rest);
        const Words2 result = divided(spread_of(t.totals(j), count), divisor);
        const Longs is_known = (count < exact_count) & (rest == 0) & (divisor > 0);
        store(t.work[0] + j, result.hi);
        store(t.work[1] + j, result.lo);
        store(t.work[2] + j, is_known ? result.bound : none + infinity);
    }
    const Finalize finalize = how.finalize == Finalize::root ? Finalize::root : Finalize::itself;
    std::size_t failures =
        certify_words({t.work[0], t.work[1], t.work[2]}, n, {finalize, how.format, 1}, out, failed);
    if (!sure_nan || failures == 0) return failures;
    for (std::size_t j = 0; j < n; ++j) {
        if (!failed[j] || samesum::magnitude(t.squares[j]) < infinity) continue;
        store_bits(out, j, canonical_nan(how.format), size_of(how.format));
        failed[j] = 0;
        --failures;
    }
    return failures;
}

}  // namespace samesum::SAMESUM_ISA
