// Prefix products of columns in float64, a few rows at a time.
#pragma once

#include "kernels/product_scans/product_state.hpp"
#include "kernels/product_scans/special_products.hpp"
#include "kernels/products/gradual_underflow.hpp"
#include "kernels/products/plain_products.hpp"
#include "kernels/products/product.hpp"
#include "kernels/scans/strips.hpp"

namespace samesum::SAMESUM_ISA {

// With u = 2^-53 and low words of at most u |hi| where a strip starts, that of row number k (from one) is at
// most (k + 1) u |hi| and is rounded by u of that: n (n + 3) / 2 u^2 |hi| in a strip of n rows. The sums of
// the rounding test are rounded by another (n + 1) u^2 |hi|. Twice the greatest n, of u^2, for each row and
// for the test have room for the terms of higher order and for the rounding of the bound itself; where the
// bound is so great that they have not, nothing is certain anyway. (Lemma 30)
template <std::size_t most>
struct DoubleProductsError {
    static_assert(scan_rows <= most && short_column <= most && width <= most);
    static constexpr double each_row = most * 0x1p-105, test = each_row;

    static constexpr double of_strip(std::size_t rows) { return static_cast<double>(rows) * each_row; }
};

struct DoubleProductColumns {
    static constexpr Format format = Format::f64;
    using F = Float64;
    using All = RealProduct<F>;
    using Tile = typename All::Tile;
    using Error = DoubleProductsError<few_factors>;

    // `bound`: relative, of what was lost; zero if nothing was.
    struct State {
        ProductState at;
        Doubles bound;
    };

    template <Format, bool whole, std::size_t known>
    using Strip = StripRows<F, format, whole, known, true>;

    // Writes a product; where that is in doubt.
    template <class Rows>
    static SAMESUM_INLINE Longs put_tested(Rows& rows, std::size_t r, const PlainProducts& product,
                                           Doubles relative) {
        const Doubles b = samesum::SAMESUM_ISA::magnitude(product.hi) * relative;
        const Doubles low = product.hi + (product.lo - b), high = product.hi + (product.lo + b);
        rows.put(r, reinterpret_cast<Longs>(low));
        return low != high;
    }

    // Rows of a strip whose products are near one, and stay so; false if one left them, or was in doubt.
    // Exact products are not told from others.
    template <class Error, class Rows>
    static SAMESUM_INLINE bool try_near(State& state, Rows&& rows) {
        constexpr double least = PlainProducts::least;
        PlainProducts strip = state.at.plain;
        const double lost = Error::of_strip(rows.count());
        const Doubles relative = state.bound + (lost + Error::test);
        Doubles smallest = Doubles{} + least;
        Longs wrong = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            strip.take(rows.at(r));
            smallest = lesser_magnitude(smallest, strip.hi);
            wrong |= put_tested(rows, r, strip, relative);
        }
        strip.normalise();
        if (any(wrong | (smallest < least)) || !strip.is_near()) return false;
        const Doubles none = {};
        state.bound += strip.lost != 0 ? none + lost : none;
        state.at.plain = strip;
        return true;
    }

    // Significands are from 1/2, by their low words, to 2^9: below the first of these products are zero, from
    // the second on normal, up to the third perhaps finite and beyond the next infinite.
    static constexpr std::int64_t surely_zero = -1090, least = -1020, greatest = 1023;

    // Powers of two by which significands are multiplied, or zero or infinity where that is the product, or
    // NaN where its exponent alone does not tell.
    static SAMESUM_INLINE Doubles scale_of(Longs exponent) {
        const Longs none = {}, infinite = none + (field_mask << fraction_bits);
        Longs bits = (exponent + field_bias) << fraction_bits;
        bits = exponent < least ? none - 1 : bits;
        bits = exponent < surely_zero ? none : bits;
        bits = exponent > greatest ? none - 1 : bits;
        return reinterpret_cast<Doubles>(exponent > greatest + 1 ? infinite : bits);
    }

    // Rows with their exponents aside. Columns that have met a zero, an infinity or a NaN have the exponent
    // of what is one for good; false if one meets its first, or was in doubt, as subnormals are unless
    // `gradual`.
    static SAMESUM_APART bool try_far(State& state, const Strip<format, false, 0>& rows, bool gradual) {
        constexpr std::int64_t beyond = std::int64_t{1} << 20;
        const Longs marks = state.at.mark, is_zero = state.at.plain.hi == 0,
                    is_infinite = marks == infinity_mark;
        const Longs is_nan = (marks != 0) & ~is_infinite, none = {};
        const Longs exponent = is_zero ? none - beyond : is_infinite ? none + beyond : state.at.exponent;
        const Longs least_field = is_zero ? none : none + 1;
        Factors strip = state.at.plain.factors(exponent);
        strip.lost = state.bound != 0;
        const double lost = Error::of_strip(rows.count());
        const Doubles relative = state.bound + (lost + Error::test), zero = {};
        Longs wrong = {}, odd = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Doubles x = rows.at(r);
            const Longs field = exponent_field(x);
            odd |= (field - least_field) | (field_mask - 1 - field);
            strip.exponent += field - field_bias;
            strip.multiply(significand_of(x));
            const Doubles size = samesum::SAMESUM_ISA::magnitude(strip.hi), scale = scale_of(strip.exponent);
            const Doubles b = strip.lost != 0 ? size * relative : zero;
            Doubles low = (strip.hi + (strip.lo - b)) * scale, high = (strip.hi + (strip.lo + b)) * scale;
            if (gradual) {
                const Longs small = (strip.exponent >= surely_zero) & (strip.exponent < least);
                low = small ? rounded_gradually(strip.hi, strip.lo - b, strip.exponent) : low;
                high = small ? rounded_gradually(strip.hi, strip.lo + b, strip.exponent) : high;
            }
            wrong |= low != high;
            rows.put(r, is_nan ? none + static_cast<std::int64_t>(canonical_nan(format))
                               : reinterpret_cast<Longs>(low));
        }
        if (any((wrong | (odd < 0)) & ~is_nan)) return false;
        strip.normalise();
        go_on(state, strip, lost, is_zero, marks);
        return true;
    }

    static void go_on(State& state, const Factors& strip, double lost, Longs is_zero, Longs marks) {
        const Doubles none = {};
        state.bound += strip.lost != 0 ? none + lost : none;
        state.at = ProductState::of(strip, is_zero, marks);
    }

    // Every kind of strip in words of which those that fail are marked.
    static SAMESUM_APART std::size_t certify(State& state, const ScanRows& all, std::size_t j) {
        const double loss = Error::of_strip(all.rows);
        Longs marks = state.at.mark | ((state.at.plain.hi == 0) & zero_mark);
        Factors strip = state.at.plain.factors(state.at.exponent);
        strip.lost = state.bound != 0;
        const std::size_t failures = certify_rows<F>(all, j, strip, marks, state.bound, loss);
        go_on(state, strip, loss, marks == zero_mark, marks);
        return failures;
    }

    static bool try_specials(State& state, const Strip<format, false, 0>& rows) {
        return try_after_specials<format>(state.at, rows, [&](ProductState& at, auto& after) {
            State alive{at, state.bound};
            if (!try_near<Error>(alive, after)) return false;
            at = alive.at;
            state.bound = alive.bound;
            return true;
        });
    }

    // The same where a strip is not near one.
    static SAMESUM_APART std::size_t scan_apart(State& state, const ScanRows& all, std::size_t j,
                                                bool fresh) {
        const Strip<format, false, 0> rows(all, j);
        if (!any_bit(state.at.exponent) && try_specials(state, rows)) return 0;
        if (try_far(state, rows, false) || try_far(state, rows, true)) return 0;
        if (fresh) std::memset(all.failed, 0, all.rows * all.n);
        return certify(state, all, j);
    }

    static SAMESUM_INLINE bool is_near(const State& state) {
        const Longs zero = state.at.plain.hi == 0;
        return !any_bit(state.at.mark | state.at.exponent | zero);
    }

    // A strip of columns; `fresh` if no column of these rows has failed yet.
    template <Format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_strip(State& state, const ScanRows& all, std::size_t j,
                                                 bool fresh) {
        if (is_near(state) && try_near<Error>(state, Strip<format, whole, known>(all, j))) return 0;
        return scan_apart(state, all, j, fresh);
    }

    // All rows of a strip of columns. After one that is not near one as many as `hard` are expected to be so.
    template <Format, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_whole(const ScanRows& all, std::size_t& hard) {
        if (hard > 0) {
            --hard;
        } else if (all.rows <= short_column) {
            if (pass_few<format>(Strip<format, true, known>(all, 0), all.rows)) return 0;
            hard = expected_hard;
        }
        return scan_all(all);
    }

    static SAMESUM_APART std::size_t scan_all(const ScanRows& all) {
        return scan_by_squares<DoubleProductColumns, format>(empty_state(), all);
    }

    static SAMESUM_INLINE State empty_state() { return {ProductState::one(), Doubles{}}; }

    // Products that start again after `period` rows each, of which the first two need no test; false if one
    // is in doubt.
    template <Format, class Rows>
    static SAMESUM_INLINE bool pass_few(const Rows& rows, std::size_t period) {
        const Doubles none = {}, relative = none + (Error::of_strip(period) + Error::test);
        Doubles smallest = none + PlainProducts::greatest;
        Longs wrong = {};
        for (std::size_t r = 0; r < rows.count();) {
            const std::size_t end = r + period;
            PlainProducts line{rows.at(r), none, Longs{}};
            rows.put(r++, reinterpret_cast<Longs>(line.hi));
            if (r < end) {
                line.take(rows.at(r));
                rows.put(r++, reinterpret_cast<Longs>(line.hi));
            }
            for (; r < end; ++r) {
                smallest = lesser(samesum::SAMESUM_ISA::magnitude(line.hi), smallest);
                line.take(rows.at(r));
                wrong |= put_tested(rows, r, line, relative);
            }
            wrong |= period > 2 ? ~(samesum::SAMESUM_ISA::magnitude(line.hi) < PlainProducts::greatest)
                                : line.hi != line.hi;
            smallest = period > 2 ? lesser(samesum::SAMESUM_ISA::magnitude(line.hi), smallest) : smallest;
        }
        return !any(wrong | (smallest < PlainProducts::least));
    }

    static SAMESUM_INLINE State load_state(const Tile& t, std::size_t j) {
        return {{{load<Doubles>(t.hi + j), load<Doubles>(t.lo + j), Longs{}},
                 load<Longs>(t.exponent + j),
                 load<Longs>(t.mark + j)},
                load<Doubles>(t.bound + j)};
    }

    static SAMESUM_INLINE void store_state(Tile& t, std::size_t j, const State& state) {
        store(t.hi + j, state.at.plain.hi);
        store(t.lo + j, state.at.plain.lo);
        store(t.bound + j, state.bound);
        store(t.exponent + j, state.at.exponent);
        store(t.mark + j, state.at.mark);
    }

    template <Format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t column_strip(Tile& t, const ScanRows& all, std::size_t j,
                                                   std::size_t at, bool fresh) {
        State state = load_state(t, at);
        const std::size_t failures =
            scan_known_strip<DoubleProductColumns, format, whole, known>(state, all, j, fresh);
        store_state(t, at, state);
        return failures;
    }

    // Up to tall_rows rows; false, and nothing has happened, unless they are all certain and near one.
    template <Format, class Rows>
    static SAMESUM_INLINE bool tall_strip(Tile& t, const Rows& rows, std::size_t at) {
        State state = load_state(t, at);
        if (!is_near(state)) return false;
        if (!try_near<DoubleProductsError<tall_rows>>(state, rows)) return false;
        store_state(t, at, state);
        return true;
    }

    static std::size_t columns(void* tile, const ScanRows& rows) {
        return scan_columns<F, DoubleProductColumns, format, true>(tile, rows);
    }
};

}  // namespace samesum::SAMESUM_ISA
