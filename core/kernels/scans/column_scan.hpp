// Prefix sums of columns, a few rows at a time.
#pragma once

#include "kernels/certify/certify.hpp"
#include "kernels/scans/narrow_sums.hpp"
#include "kernels/scans/prefixes.hpp"
#include "kernels/scans/split_sums.hpp"
#include "kernels/scans/strips.hpp"
#include "kernels/scans/sums.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Prefix sums rounded, and which are in doubt. Where they are `settled`, the high word is the result: an
// infinity or a NaN. (Lemma 33)
template <Format format>
SAMESUM_INLINE Verdict<format> verdict(const Sums& s, Longs settled) {
    using Round = Rounding<format>;
    const Doubles none = {}, known = s.bound * bound_slack;
    if constexpr (format == Format::f64) {
        const Doubles some = s.bound > 0 ? none + 0x1p-52 : none;
        const Doubles most = known + samesum::SAMESUM_ISA::magnitude(s.lo) * some;
        const Doubles low = s.hi + (s.lo - most), high = s.hi + (s.lo + most);
        return {settled ? Round::of(s.hi) : reinterpret_cast<Longs>(low),
                ~narrowed_mask((low == high) | settled)};
    } else {
        const Doubles value = settled ? s.hi : s.hi + s.lo, size = samesum::SAMESUM_ISA::magnitude(value);
        // Unless `known` is zero, too, it has to be seen beside the value.
        const Longs exact = (s.lo == 0) & (known == 0);
        const Doubles some = exact ? none : known + size * 0x1p-51, most = settled ? none : some;
        const auto low = Round::of(value - most);
        const Words doubtful = Round::different(low, Round::of(value + most));
        return {low, doubtful | ~narrowed_mask(most < infinity)};
    }
}

template <class Float>
struct ColumnScan {
    using F = Float;
    static constexpr bool is_double = F::format == Format::f64;

    using Tile = SumTile;
    static_assert(sizeof(Tile) <= tile_bytes);
    using State = std::conditional_t<is_double, SplitSums, NarrowSums<F>>;

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width) State::empty().put(*static_cast<Tile*>(tile), j);
    }

    // Columns that go on from these carries.
    static void start(void* tile, const Carry* carries, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width) {
            Sums sums{};
            for (std::size_t k = 0; k < width && j + k < n; ++k) {
                sums.hi[k] = carries[j + k].sum.hi;
                sums.lo[k] = carries[j + k].sum.lo;
                sums.bound[k] = carries[j + k].sum.bound;
            }
            State::after(sums).put(*static_cast<Tile*>(tile), j);
        }
    }

    static SAMESUM_INLINE State empty_state() { return State::empty(); }
    static SAMESUM_INLINE State load_state(const Tile& t, std::size_t j) { return State::at(t, j); }
    static SAMESUM_INLINE void store_state(Tile& t, std::size_t j, const State& state) { state.put(t, j); }

    // What is not finite in a narrow format came from the elements and stays. Sums of float64 may overflow
    // and come back; those that an infinite element or a NaN decides have a negative bound.
    static SAMESUM_INLINE void add(Sums& strip, Doubles x) {
        const Doubles none = {}, rest = x - x;
        const Longs decided =
            (strip.bound < 0) | ((rest != rest) & (samesum::SAMESUM_ISA::magnitude(strip.hi) < infinity));
        strip.add(x);
        if constexpr (is_double) {
            strip.lo = decided ? none : strip.lo;
            strip.bound = decided ? none - 1 : strip.bound;
        }
    }

    static SAMESUM_INLINE Longs settled(const Sums& strip) {
        const Longs finite = samesum::SAMESUM_ISA::magnitude(strip.hi) < infinity, negative = strip.bound < 0;
        return is_double ? negative : ~finite;
    }

    // Rows of a strip, whose states move on; false if a prefix was in doubt.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass(const Rows& rows, Sums& strip) {
        Words wrong = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            add(strip, rows.at(r));
            const Verdict<format> v = verdict<format>(strip, settled(strip));
            wrong |= v.wrong;
            rows.put(r, v.bits);
        }
        return !any_bit(wrong);
    }

    // The same in double-words; those that fail are marked.
    static SAMESUM_APART std::size_t certify(const ScanRows& all, std::size_t j, Sums strip) {
        const std::size_t n = all.n - j < width ? all.n - j : width;
        std::size_t failures = 0;
        for (std::size_t r = 0; r < all.rows; ++r) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
            add(strip, elements<F>(all.x + at * all.in + j * F::size, n));
            char* out = all.out + at * all.to + j * size_of(all.format);
            double sum[width], rest[width], bound[width], special[width];
            const Doubles none = {};
            store(special, settled(strip) ? strip.hi : none);
            store(sum, strip.hi);
            store(rest, strip.lo);
            store(bound, strip.bound * bound_slack);
            std::uint8_t* failed = all.failed + r * all.n + j;
            std::size_t wrong =
                certify_words({sum, rest, bound}, n, {Finalize::itself, all.format, 1}, out, failed);
            if (wrong > 0) wrong -= accept_special(special, n, all.format, out, failed);
            failures += wrong;
        }
        return failures;
    }

    template <Format format, bool whole, std::size_t known>
    using Strip = StripRows<F, format, whole, known>;

    // A strip of columns; `fresh` if no column of these rows has failed yet.
    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_strip(State& state, const ScanRows& all, std::size_t j,
                                                 bool fresh) {
        const Strip<format, whole, known> rows(all, j);
        const State before = state;
        const Outcome outcome = known > 0 ? state.template advance<format>(rows)
                                          : state.template advance_apart<format>(rows.any());
        if (outcome == Outcome::certain) return 0;
        return scan_in_words<format>(state, before.total(), outcome, all, j, fresh);
    }

    // The same of what no grid holds, or where it told of doubts.
    template <Format format>
    static SAMESUM_APART std::size_t scan_in_words(State& state, const Sums before, Outcome outcome,
                                                   const ScanRows& all, std::size_t j, bool fresh) {
        Sums sums = before;
        const bool certain = pass<format>(Strip<format, false, 0>(all, j), sums);
        if (outcome == Outcome::off_grid) state.leave(sums);
        if (certain) return 0;
        if (fresh) std::memset(all.failed, 0, all.rows * all.n);
        return certify(all, j, before);
    }

    // All rows of a strip of columns, few enough for their exponents to tell that no sum is rounded. After
    // one that needed double-words as many as `hard` are taken so at once.
    template <Format format, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_whole(const ScanRows& all, std::size_t& hard) {
        State state = State::empty();
        if (hard > 0) {
            --hard;
            state.leave(Sums{});
            return scan_any_strip<ColumnScan, format>(state, all, 0, true);
        }
        const Strip<format, true, known> rows(all, 0);
        if (pass_few<format>(rows, known > 0 ? known : all.rows)) return 0;
        const std::size_t failures = scan_any_strip<ColumnScan, format>(state, all, 0, true);
        if (state.is_in_words()) hard = expected_hard;
        return failures;
    }

    // Sums that start again after `period` rows each; false if some are in doubt.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_few(const Rows& rows, std::size_t period) {
        if constexpr (is_double)
            return format == Format::f64 && SplitSums::pass_few(rows, period);
        else
            return pass_exact<format>(rows, period);
    }

    // Sums that their exponents tell to be exact.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_exact(const Rows& rows, std::size_t period) {
        ExponentSpread<F> seen;
        for (std::size_t r = 0; r < rows.count();) {
            Doubles sum = {};
            for (const std::size_t end = r + period; r < end; ++r) {
                const Floats x = rows.floats(r);
                seen.take(x);
                sum += widen(x);
                rows.put(r, Rounding<format>::of_number(sum));
            }
        }
        return seen.is_small(period);
    }

    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t column_strip(Tile& t, const ScanRows& all, std::size_t j,
                                                   std::size_t at, bool fresh) {
        if constexpr (!is_double && known > 0) {
            if (stays_exact<format>(t, Strip<format, whole, known>(all, j), at)) return 0;
        }
        // What few strips need is not worth code of its own.
        constexpr std::size_t again = is_double ? known : 0;
        State state = load_state(t, at);
        const std::size_t failures = scan_known_strip<ColumnScan, format, whole, again>(state, all, j, fresh);
        store_state(t, at, state);
        return failures;
    }

    // What scan_strip tries first, without the rest of the state.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool stays_exact(Tile& t, const Rows& rows, std::size_t at) {
        double* const part = t.field[0] + at;
        const double* const shift = t.field[1] + at;
        Doubles sum = load<Doubles>(part);
        if (format == F::format && t.mode[at] == GridMode::parts) {
            const Sums before = Sums::at(t.field[2] + at, t.field[3] + at, t.field[4] + at);
            if (State::pass_parts(rows, before, sum, load<Doubles>(shift)) != Outcome::certain) return false;
        } else if (t.mode[at] != GridMode::exponents ||
                   !State::template pass_exact<format>(rows, sum, load<Doubles>(shift))) {
            return false;
        }
        store(part, sum);
        return true;
    }

    // Up to tall_rows rows; false, and nothing has happened, unless they are all certain at once.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool tall_strip(Tile& t, const Rows& rows, std::size_t at) {
        if constexpr (!is_double) {
            if (stays_exact<format>(t, rows, at)) return true;
        }
        State state = load_state(t, at);
        const Outcome outcome = is_double ? state.template advance<format>(rows)
                                          : state.template advance_apart<format>(rows.any());
        if (outcome != Outcome::certain) return false;
        store_state(t, at, state);
        return true;
    }

    static SAMESUM_APART std::size_t columns(void* tile, const ScanRows& rows) {
        return in_format_within<F::format>(
            rows.format, [&]<Format format>() { return scan_columns<F, ColumnScan, format>(tile, rows); });
    }
};

}  // namespace samesum::SAMESUM_ISA
