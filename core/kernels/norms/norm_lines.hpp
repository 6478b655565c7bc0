// Normalizations of lines: float64 for the narrow formats, double-words for float64 and for what float64
// leaves in doubt.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/norms/norm_results.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

// What the lines of a normalization are divided by, from their sums, with bounds.

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

// Elements of F, results of Out.
template <class F, class Part, class Out = F>
struct NormLines {
    static constexpr bool is_narrow = std::is_same_v<Part, NarrowSpread>;

    // Of all elements as they are, about zero.
    static SAMESUM_APART Part plain_part(const char* p, std::size_t n) {
        return Spread<F, Part>::shown_part(p, n, 0.0, [](Doubles x) SAMESUM_INLINED { return x; });
    }

    // How the elements of a line are added up.
    struct About {
        Longs mask;
        bool centred, plain;

        explicit SAMESUM_INLINE About(const NormRow& row)
            : mask(Longs{} + (row.divisor == Divisor::magnitudes ? INT64_MAX : -1)),
              centred(row.centred),
              plain(false) {}

        SAMESUM_INLINE double centre_of(const char* x) const {
            return centred && !plain ? first_doubles<F>(x, 1)[0] : 0.0;
        }
        SAMESUM_INLINE Part part(const char* p, std::size_t n, double centre) const {
            if constexpr (is_narrow)
                if (plain) return plain_part(p, n);
            return Spread<F, Part>::part_of(p, n, centre, mask);
        }
    };

    // Long lines in blocks: the shorter they are, the fewer results are in doubt.
    static constexpr std::size_t line_block = 1024;

    // A mean above the deviation, about which squares cancel.
    static SAMESUM_INLINE bool is_far(Doubles sum, Doubles squares, double n) {
        return any(sum * sum > squares * (n / 2));
    }

    // Of inverses: what is scaled in single doubles neither underflows nor overflows.
    static constexpr double range = std::is_same_v<Part, WideSpread> ? 0x1p1000 : 0x1p300;

    // False if the lines are far from zero, about which they were taken.
    static SAMESUM_APART bool measure_about(const NormRow& row, const About& about, const char* const* x,
                                            std::size_t n, std::size_t count, NormLine* lines) {
        const double elements = static_cast<double>(n);
        const bool are_long = n > block_elements;
        const std::size_t block = are_long ? line_block : n, together = are_long ? 1 : width;
        for (std::size_t k = 0; k < count; k += together) {
            const std::size_t some = std::min(together, count - k);
            SpreadTile::Totals t = {};
            for (std::size_t r = 0; r < some; ++r) t.centre[r] = about.centre_of(x[k + r]);
            for (std::size_t i = 0; i < n; i += block) {
                const std::size_t now = std::min(block, n - i);
                Part part[width];
                for (std::size_t r = 0; r < width; ++r)
                    part[r] = r < some ? about.part(x[k + r] + i * F::size, now, t.centre[r]) : Part{};
                folded_rows(part).add_to(t, static_cast<double>(now), Spread<F, Part>::depth_of(now));
            }
            if (about.plain && about.centred && is_far(t.sum.hi, t.squares.hi, elements)) return false;
            NormMeasure::put(row, t, elements, range, some, lines + k);
        }
        return true;
    }

    // About zero, which saves operations, unless the first elements or the lines are far from it.
    static void measure(const NormRow& row, const char* const* x, std::size_t n, std::size_t count,
                        NormLine* lines) {
        About about(row);
        if constexpr (is_narrow) {
            constexpr std::size_t few = 64;
            const std::size_t first = std::min(n, few);
            const Part part = folded_alone(plain_part(x[0], first));
            about.plain = row.divisor != Divisor::magnitudes &&
                          !(row.centred && is_far(part.sum, part.squares, static_cast<double>(first)));
            if (about.plain && measure_about(row, about, x, n, count, lines)) return;
            about.plain = false;
        }
        measure_about(row, about, x, n, count, lines);
    }

    // One line of elements of `size` bytes, a block of which at a time is written out as doubles.
    static void measure_widened(const NormRow& row, NormMethods::Widen widen, std::size_t size, const char* x,
                                std::size_t n, NormLine* line) {
        alignas(64) double block[line_block];
        const char* const elements = reinterpret_cast<const char*>(block);
        const About about(row);
        SpreadTile::Totals t = {};
        for (std::size_t i = 0; i < n; i += line_block) {
            const std::size_t now = std::min(line_block, n - i);
            widen(x + i * size, now, block);
            if (i == 0) t.centre += about.centre_of(elements);
            folded_alone(about.part(elements, now, t.centre[0]))
                .add_to(t, static_cast<double>(now), Spread<F, Part>::depth_of(now));
        }
        NormMeasure::put(row, t, static_cast<double>(n), range, 1, line);
    }

    static std::size_t finish(const NormLine& line, const char* x, std::size_t n, const NormScale& by,
                              void* out, std::uint16_t* doubtful) {
        constexpr bool is_wide = std::is_same_v<Part, WideSpread>;
        char* const to = static_cast<char*>(out);
        if (by.each) return NormRun<F, Out, is_wide, true>{line, {line, by}, x, by, to, doubtful}.run(n);
        return NormRun<F, Out, is_wide, false>{line, {line, by}, x, by, to, doubtful}.run(n);
    }

    static std::size_t finish_any(const NormLine& line, const char* x, std::size_t n, const NormScale& by,
                                  void* out, std::uint16_t* doubtful) {
        return NormRun<F, Out, false, false>{line, {line, by}, x, by, static_cast<char*>(out), doubtful}
            .run_any(n);
    }
};

}  // namespace samesum::SAMESUM_ISA
