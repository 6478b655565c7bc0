// What the lines of a normalization are divided by, from their sums, with bounds.
#pragma once

#include "kernels/norms/spread_tile.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

// Words of a number that is positive or zero; the bound is absolute.
struct NormMeasure {
    // sum / n and the bound of it. (Lemma 56)
    static SAMESUM_INLINE Words2 mean(const Sums& sum, Doubles n) {
        Doubles high, low;
        two_sum(sum.hi, sum.lo, high, low);
        const Doubles quotient = high / n, rest = (fused(-quotient, n, high) + low) / n;
        return {quotient, rest,
                (sum.bound / n + samesum::SAMESUM_ISA::magnitude(quotient) * words_error) * spread_slack};
    }

    static SAMESUM_INLINE Words2 plus(const Words2& a, double b) {
        Doubles high, low;
        two_sum(a.hi, Doubles{} + b, high, low);
        two_sum(high, low + a.lo, high, low);
        return {high, low, a.bound + high * (words_error * (b != 0))};
    }

    static SAMESUM_INLINE Words2 root(const Words2& a) {
        const Doubles none = {}, root = square_root(a.hi);
        const Doubles rest = (fused(-root, root, a.hi) + a.lo) / (2 * root);
        const Longs zero = (a.hi == 0) & (a.bound == 0),
                    safe = (a.hi > safe_floor) & (a.bound < a.hi * 0x1p-21);
        const Doubles bound = a.bound / root + root * words_error;
        return {zero ? none : root, zero ? none : rest, zero ? none : safe ? bound : none + infinity};
    }

    // The greater of both where that is certain.
    static SAMESUM_INLINE Words2 at_least(const Words2& a, double least) {
        const Doubles none = {}, high = a.hi + a.lo, room = a.bound + high * 0x1p-50;
        const Longs above = high - room > least, below = high + room < least;
        return {below ? none + least : a.hi, below ? none : a.lo,
                below   ? none
                : above ? a.bound
                        : none + infinity};
    }

    static SAMESUM_INLINE Words2 divisor(const NormRow& row, const SpreadTile::Totals& t, double n) {
        const Doubles none = {};
        if (row.divisor == Divisor::one) return {none + 1, none, none};
        if (row.divisor == Divisor::magnitudes) return plus(mean(t.sum, none + 1), row.outside);
        Words2 squares = row.centred ? spread_of(t, none + n) : mean(t.squares, none + 1);
        if (!row.centred) {
            const Longs zero = (squares.hi == 0) & (t.squares.bound == 0),
                        safe = (squares.hi > 0x1p-800) & (squares.hi < 0x1p1000);
            squares.bound = zero ? none : safe ? squares.bound : none + infinity;
        }
        if (row.over_count) {
            const Longs zero = squares.bound == 0;
            squares = divided(squares, none + n);
            squares.bound = zero ? none : squares.bound;
        }
        squares = row.at_least ? at_least(squares, row.inside) : plus(squares, row.inside);
        return plus(root(squares), row.outside);
    }

    // `range`: the results' arithmetic is right for inverses from 1 / range to range. (Lemma 57)
    static __attribute__((noinline)) void put(const NormRow& row, const SpreadTile::Totals& t, double n,
                                              double range, std::size_t count, NormLine* lines) {
        const Doubles none = {};
        const Words2 d = divisor(row, t, n),
                     offset = row.centred ? mean(t.sum, none + n) : Words2{none, none, none};
        const Longs zero = (d.hi == 0) & (d.bound == 0);
        const Doubles inverse = 1 / d.hi, rest = (fused(-inverse, d.hi, none + 1) - inverse * d.lo) / d.hi,
                      error = (d.bound / d.hi + words_error) * spread_slack;
        // No deviation is larger than the root of the sum of their squares.
        const Doubles most = square_root(t.squares.hi + t.squares.bound) * spread_slack +
                             samesum::SAMESUM_ISA::magnitude(offset.hi);
        for (std::size_t k = 0; k < count; ++k) {
            const bool is_zero = zero[k] != 0;
            NormLine& line = lines[k];
            line = {t.centre[k],
                    offset.hi[k],
                    offset.lo[k],
                    offset.bound[k],
                    is_zero ? 0 : inverse[k],
                    is_zero ? 0 : rest[k],
                    is_zero ? 0 : error[k],
                    is_zero ? 0 : most[k] * inverse[k] * spread_slack,
                    false};
            line.is_known = samesum::magnitude(line.centre) < infinity &&
                            samesum::magnitude(line.offset) < infinity && line.offset_error < infinity &&
                            line.inverse < range && (is_zero || line.inverse > 1 / range) &&
                            line.inverse_error < 0x1p-20 && samesum::magnitude(t.squares.hi[k]) < infinity;
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
