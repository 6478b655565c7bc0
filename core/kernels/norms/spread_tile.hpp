// What sets have about a centre: the sums of x - c and of its squares, in double-words with bounds.
#pragma once

#include "kernels/certify/words.hpp"
#include "kernels/scans/sums.hpp"
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

    // A vector of columns, or one.
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
    SAMESUM_INLINE Totals lone(std::size_t j) const {
        const Doubles none = {};
        return {none + centre[j],
                none + count[j],
                {none + sum[j], none + sum_rest[j], none + sum_bound[j]},
                {none + squares[j], none + squares_rest[j], none + squares_bound[j]}};
    }
    // Element k.
    SAMESUM_INLINE void put_lone(std::size_t j, const Totals& t, std::size_t k = 0) {
        centre[j] = t.centre[k], count[j] = t.count[k];
        sum[j] = t.sum.hi[k], sum_rest[j] = t.sum.lo[k], sum_bound[j] = t.sum.bound[k];
        squares[j] = t.squares.hi[k], squares_rest[j] = t.squares.lo[k];
        squares_bound[j] = t.squares.bound[k];
    }
    // The first n columns: those beyond may be others' that got no element now.
    SAMESUM_INLINE void put_some(std::size_t j, const Totals& t, std::size_t n) {
        if (n >= width) return put(j, t);
        for (std::size_t k = 0; k < n; ++k) put_lone(j + k, t, k);
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
