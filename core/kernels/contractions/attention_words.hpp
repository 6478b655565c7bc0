// Attention in double-words, for rows with results in doubt. What is exact has a bound of zero: products
// whose sum is a double-word, and weights that are all one.
#pragma once

#include "kernels/contractions/attention.hpp"

namespace samesum::SAMESUM_ISA {

// Below it the low words of exponentials are not normal; they are less than 2^-973.
constexpr double least_word_power = -675, least_word = 0x1p-973;

// A sum of doubles in two words; `lost` are the magnitudes of what the low word does not hold. (Lemma 3)
struct KnownWord {
    Doubles hi = {}, lo = {}, lost = {};

    SAMESUM_INLINE void add(Doubles x) {
        Doubles carry;
        two_sum(hi, x, hi, carry);
        add_low(carry);
    }

    SAMESUM_INLINE void add_low(Doubles x) {
        Doubles residual;
        two_sum(lo, x, lo, residual);
        lost += magnitude(residual);
    }
};

// A number within `bound` of two words.
SAMESUM_INLINE BoundedWord scaled_word(const KnownWord& dot, const ScoreScale& scale) {
    const Doubles none = {};
    Doubles hi, lo;
    two_sum(dot.hi, dot.lo, hi, lo);
    const DoubleWord x = product({hi, lo}, {none + scale.hi, none + scale.lo});
    // Zero, or a power of two.
    const bool is_exact = scale.lo == 0 && __builtin_bit_cast(std::uint64_t, scale.hi) << 12 == 0;
    const Doubles off = is_exact ? none : magnitude(x.hi) * 0x1p-100;
    return {x, dot.lost * (bound_slack * __builtin_fabs(scale.hi)) + off};
}

// c tanh(x / c): the second word of x / c by the slope, which is less than 2^-115 beyond 40.
SAMESUM_INLINE BoundedWord capped_word(const BoundedWord& x, double cap) {
    const DoubleWord at = word_quotient(x.y, word_of(cap)), tanh = TanhFunction::precise(at.hi);
    const Doubles slope = magnitude(at.hi) < 40 ? 1 - tanh.hi * tanh.hi : Doubles{};
    const DoubleWord y = product(word_of(cap), ordered_sum(tanh.hi, fused(at.lo, slope, tanh.lo)));
    return {y, x.bound * bound_slack + magnitude(y.hi) * 0x1p-64};
}

SAMESUM_INLINE KnownWord word_dot(const double* query, const double* panel, std::size_t terms) {
    KnownWord dot;
    for (std::size_t t = 0; t < terms; ++t) {
        const Doubles x = load<Doubles>(panel + t * panel_lanes);
        dot.add(x * query[t]);
    }
    return dot;
}

// (Lemma 90)
static RowFacts weigh_row_in_words(const ScoreRow& row, const double* query, const double* panels,
                                   double* room) {
    const Doubles none = {};
    double *const hi = room, *const lo = room + row.keys, *const bound = room + 2 * row.keys,
                  *const shown = room + 3 * row.keys, *const shown_rest = room + 4 * row.keys,
                  *const shown_bound = room + 5 * row.keys;
    const auto show = [&](std::size_t j, const BoundedWord& x) SAMESUM_INLINED {
        store(shown + j, x.y.hi), store(shown_rest + j, x.y.lo), store(shown_bound + j, x.bound);
    };
    Doubles most = none - infinity;
    for (std::size_t j = 0; j < row.keys; j += width) {
        const double* const panel = panels + j / panel_lanes * panel_lanes * row.terms + j % panel_lanes;
        BoundedWord x = scaled_word(word_dot(query, panel, row.terms), row.scale);
        const Longs is_finite = magnitude(x.y.hi) < infinity;
        if (row.shown == Shown::scaled) show(j, x);
        if (row.scale.cap != 0) x = capped_word(x, row.scale.cap);
        if (row.shown == Shown::capped) show(j, x);
        const Doubles mask = load<Doubles>(row.mask + j);
        const DoubleWord sum = word_sum(x.y, word_of(mask));
        const Doubles off = (magnitude(x.y.hi) + magnitude(mask)) * 0x1p-102;
        // Below a cap an infinite product is none, and what becomes of it is left to be decided.
        const Longs is_plain = mask == 0,
                    is_out = (mask == -infinity) | (row.scale.cap == 0 ? ~is_finite : Longs{});
        const DoubleWord finite = chosen(is_finite, chosen(is_plain, x.y, sum), {none, none});
        const Doubles all = is_finite ? x.bound + (is_plain ? none : off) : none + infinity;
        x = {chosen(is_out, {none - infinity, none}, finite), is_out ? none : all};
        if (row.shown == Shown::masked) show(j, x);
        most = greater(x.y.hi, most);
        store(hi + j, x.y.hi), store(lo + j, x.y.lo), store(bound + j, x.bound);
    }
    RowFacts facts{greatest_element(most), 0, 0, 0, false, false};
    if (facts.greatest == -infinity) return facts;
    // Of great scores the second word alone may be beyond every exponential, so that it is taken away, too.
    Doubles most_rest = none - infinity;
    for (std::size_t j = 0; j < row.keys; j += width)
        most_rest = greater(load<Doubles>(hi + j) == facts.greatest ? load<Doubles>(lo + j) : none - infinity,
                            most_rest);
    const double greatest_rest = greatest_element(most_rest);
    Doubles error = {};
    DoubleWord total = {none, none};
    Longs all_are_one = ~Longs{};
    for (std::size_t j = 0; j < row.keys; j += width) {
        const Doubles x = load<Doubles>(hi + j), rest = load<Doubles>(lo + j), off = load<Doubles>(bound + j);
        const Longs is_live = x != -infinity;
        Doubles below, lost;
        two_sum(is_live ? x : none + facts.greatest, none - facts.greatest, below, lost);
        const DoubleWord d = ordered_sum(below, lost + (rest - greatest_rest));
        const Longs counts = is_live & (d.hi >= least_word_power);
        const DoubleWord power = exponential<90>(counts ? d.hi : none, counts ? d.lo : none);
        const DoubleWord weight = chosen(counts, power, word_of(none));
        const Longs is_one = (d.hi == 0) & (d.lo == 0) & (off == 0);
        all_are_one &= is_one | ~is_live;
        const Doubles size = (magnitude(x) + magnitude(none + facts.greatest)) * 0x1p-104,
                      of_score = off * bound_slack + size;
        // A weight may count that came out as zero.
        const Longs may_count = is_live & (d.hi + of_score >= least_word_power);
        error = greater((may_count & ~is_one) | (off == infinity) ? of_score + 0x1p-89 : none, error);
        total = word_sum(total, weight);
        store(hi + j, is_live ? weight.hi : -none), store(lo + j, weight.lo);
    }
    DoubleWord sum = {none, none};
    for (std::size_t k = 0; k < width; ++k) sum = word_sum(sum, word_of(total.hi[k], total.lo[k]));
    facts.total = sum.hi[0], facts.total_rest = sum.lo[0];
    facts.error = greatest_element(error);
    facts.are_equal = !any(~all_are_one);
    if (!facts.are_equal) facts.error += static_cast<double>(row.keys + 16) * 0x1p-103;
    if (facts.error > most_error) facts.error = infinity;
    for (std::size_t j = 0; row.shown == Shown::weights && j < row.keys; j += width) {
        const DoubleWord share = word_quotient({load<Doubles>(hi + j), load<Doubles>(lo + j)}, sum);
        show(j, {share, magnitude(share.hi) * (2 * facts.error + 0x1p-99)});
    }
    return facts;
}

// Weighted values of one panel, added up in words, over the sum of the weights. Where all weights are one
// that is a mean, and what it is off by is zero where it is exact. (Lemma 90)
static void average_words(const double* panel, const double* room, std::size_t keys, std::size_t count,
                          const RowFacts& facts, double* words) {
    const double *const hi = room, *const lo = room + keys;
    for (std::size_t v = 0; v < panel_lanes; v += width) {
        KnownWord sum;
        Doubles size = {}, every = {};
        const Doubles none = {};
        for (std::size_t j = 0; j < count; ++j) {
            if (__builtin_signbit(hi[j])) continue;
            const Doubles x = load<Doubles>(panel + j * panel_lanes + v), p = x * hi[j];
            sum.add(p);
            sum.add_low(fused(x, none + lo[j], fused(x, none + hi[j], -p)));
            size += magnitude(p);
            every += magnitude(x);
        }
        const DoubleWord total = word_of(facts.total, facts.total_rest);
        DoubleWord n;
        two_sum(sum.hi, sum.lo, n.hi, n.lo);
        const Doubles of_weights = size * (bound_slack * facts.error + 0x1p-100) + every * least_word +
                                   underflow_error * static_cast<double>(count);
        const Doubles off = sum.lost * bound_slack + (facts.are_equal ? none : of_weights);
        Words2 found;
        if (facts.are_equal) {
            found = finalized_words<Finalize::over_count, 88>({n.hi, n.lo, off}, none + facts.total);
        } else {
            const DoubleWord q = word_quotient(n, total);
            found = {q.hi, q.lo, off + magnitude(q.hi) * (bound_slack * facts.error + 0x1p-99)};
        }
        const Longs is_nothing = every == 0;
        store(words + v, is_nothing ? none : found.hi);
        store(words + panel_lanes + v, is_nothing ? none : found.lo);
        store(words + 2 * panel_lanes + v, is_nothing ? none : found.bound);
    }
}

}  // namespace samesum::SAMESUM_ISA
