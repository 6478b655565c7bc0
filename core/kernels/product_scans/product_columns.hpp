// Prefix products of columns in formats narrower than double, a few rows at a time.
#pragma once

#include "kernels/product_scans/product_state.hpp"
#include "kernels/product_scans/special_products.hpp"
#include "kernels/products/plain_products.hpp"
#include "kernels/products/product.hpp"
#include "kernels/scans/strips.hpp"

namespace samesum::SAMESUM_ISA {

template <class Float>
struct ProductColumns {
    using F = Float;
    static_assert(F::format != Format::f64);
    using All = RealProduct<F>;
    using Tile = typename All::Tile;
    using State = ProductState;

    // Rows of a strip that is near one; false if a prefix was in doubt. `first`: the exact products are among
    // them.
    template <Format format, bool precise, bool first, class Rows>
    static SAMESUM_INLINE bool pass(Rows& rows, PlainProducts& strip) {
        using Test = Nearby<format, precise>;
        constexpr std::size_t exact = Test::exact_factors(F::format);
        Words wrong = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            strip.take(rows.at(r));
            const Verdict<format> v = Test::of(strip.hi, first && rows.depth + r < exact ? 0 : Test::slack);
            wrong |= v.wrong;
            rows.put(r, v.bits);
        }
        return !any_bit(wrong);
    }

    // The same of ordinary elements far from one.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_far(const Rows& rows, Factors& strip) {
        using Test = Nearby<format, true>;
        Words wrong = {};
        Longs odd = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Doubles x = rows.at(r);
            const Longs field = exponent_field(x);
            odd |= is_odd(field);
            strip.exponent += field - field_bias;
            strip.multiply(significand_of(x));
            const Longs usable = clamped(strip.exponent, least_exponent, greatest_exponent);
            const Doubles scale = reinterpret_cast<Doubles>((usable + field_bias) << fraction_bits);
            const Verdict<format> v = Test::of(strip.hi * scale, Test::slack);
            wrong |= v.wrong;
            rows.put(r, v.bits);
        }
        strip.normalise();
        return !any_bit(wrong) && !any_negative(odd);
    }

    template <Format format, class Rows>
    static SAMESUM_INLINE bool try_near(State& state, Rows& rows) {
        PlainProducts strip = state.plain;
        const bool quick =
            rows.depth > 0 ? pass<format, false, false>(rows, strip) : pass<format, false, true>(rows, strip);
        if (!quick) return try_near_precisely<format>(state, rows.any());
        strip.normalise();
        if (!strip.is_near()) return settle(state, strip);
        state.plain = strip;
        return true;
    }

    template <Format format, class Rows>
    static SAMESUM_APART bool try_near_precisely(State& state, const Rows& rows) {
        return Nearby<format, false>::through_float && try_alive<format>(state, rows);
    }

    // What is zero or far from one.
    static SAMESUM_APART bool settle(State& state, const PlainProducts strip) {
        if (any(is_odd_product(strip.hi, state.plain.hi == 0))) return false;
        state = State::of(strip.factors(Longs{}), strip.hi == 0, Longs{});
        return true;
    }

    template <Format format, class Rows>
    static SAMESUM_APART bool try_any_far(State& state, const Rows& rows) {
        return try_far<format>(state, rows);
    }

    // In place of as many rows as are known: the state stays in registers.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool try_far(State& state, const Rows& rows) {
        constexpr std::int64_t rounds_to_zero = -(std::int64_t{1} << 20);
        const Longs is_zero = state.plain.hi == 0;
        Factors strip = state.plain.factors(is_zero ? Longs{} + rounds_to_zero : state.exponent);
        if (!pass_far<format>(rows, strip)) return false;
        state = State::of(strip, is_zero, Longs{});
        return true;
    }

    template <Format format, class Rows>
    static SAMESUM_APART bool try_specials(State& state, const Rows& rows) {
        return try_after_specials<format>(state, rows, try_alive<format, RowsAfterSpecials<format, Rows>>);
    }

    template <Format format, class Rows>
    static SAMESUM_INLINE bool try_alive(State& alive, Rows& rows) {
        PlainProducts strip = alive.plain;
        if (!pass<format, true, true>(rows, strip)) return false;
        strip.normalise();
        if (!strip.is_near()) return settle(alive, strip);
        alive.plain = strip;
        return true;
    }

    static SAMESUM_APART std::size_t certify_strip(State& state, const ScanRows& all, std::size_t j,
                                                   bool fresh) {
        if (fresh) std::memset(all.failed, 0, all.rows * all.n);
        Longs marks = state.mark | ((state.plain.hi == 0) & zero_mark);
        Factors strip = state.plain.factors(state.exponent);
        // Of the low words by far more than what was lost of all the elements before.
        constexpr double extra = 0x1p-60;
        const std::size_t failures = certify_rows<F>(all, j, strip, marks, Doubles{}, extra);
        state = State::of(strip, marks == zero_mark, marks);
        return failures;
    }

    template <Format format, bool whole, std::size_t known>
    using Strip = StripRows<F, format, whole, known, true>;

    // A strip of columns; `fresh` if no column of these rows has failed yet.
    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_strip(State& state, const ScanRows& all, std::size_t j,
                                                 bool fresh) {
        const Strip<format, whole, known> rows(all, j);
        if (!any_bit(state.exponent)) {
            // Of some that are zeros others are likely to become so.
            const Longs zeros = state.plain.hi == 0;
            const bool alike = !any(zeros) || !any(~zeros);
            if (alike && !any_bit(state.mark) && try_near<format>(state, rows)) return 0;
            if (try_specials<format>(state, rows.any())) return 0;
        } else if (!any_bit(state.mark)) {
            const bool far =
                known > 0 ? try_far<format>(state, rows) : try_any_far<format>(state, rows.any());
            if (far) return 0;
        }
        return certify_strip(state, all, j, fresh);
    }

    // All rows of a strip of columns.
    template <Format format, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_whole(const ScanRows& all, std::size_t&) {
        if (all.rows <= short_column && pass_few<format>(Strip<format, true, known>(all, 0), all.rows))
            return 0;
        return scan_by_squares<ProductColumns, format>(empty_state(), all);
    }

    static SAMESUM_INLINE State empty_state() { return State::one(); }

    // Products that start again after `period` <= 8 rows each; false if one is in doubt.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_few(const Rows& rows, std::size_t period) {
        return pass_few_in<format, false>(rows, period) ||
               (Nearby<format, false>::through_float && pass_few_precisely<format>(rows.any(), period));
    }

    template <Format format, class Rows>
    static SAMESUM_APART bool pass_few_precisely(const Rows& rows, std::size_t period) {
        return pass_few_in<format, true>(rows, period);
    }

    template <Format format, bool precise, class Rows>
    static SAMESUM_INLINE bool pass_few_in(const Rows& rows, std::size_t period) {
        using Test = Nearby<format, precise>;
        constexpr std::size_t exact = Test::exact_factors(F::format);
        Words wrong = {};
        Longs odd = {};
        for (std::size_t r = 0; r < rows.count();) {
            Doubles product = Doubles{} + 1;
            for (std::size_t i = 0; i < period; ++i, ++r) {
                product *= rows.at(r);
                const Verdict<format> v = Test::of(product, i < exact ? 0 : Test::slack);
                wrong |= v.wrong;
                rows.put(r, v.bits);
            }
            odd |= is_odd_product(product, product == 0);
        }
        return !any_bit(wrong) && !any(odd);
    }

    // Infinities and NaNs, what is nearly infinite, and what may have underflowed on the way: with factors
    // from 2^-149 to 2^128 that takes five of up to eight after a product near one, and three lead back no
    // farther than this.
    static SAMESUM_INLINE Longs is_odd_product(Doubles product, Longs can_be_zero) {
        constexpr double surely_whole = 0x1p-500, surely_finite = 0x1p1000;
        const Doubles size = samesum::SAMESUM_ISA::magnitude(product);
        return ~(size < surely_finite) | ((size < surely_whole) & ~can_be_zero);
    }

    static SAMESUM_INLINE State load_state(const Tile& t, std::size_t j) {
        return {{load<Doubles>(t.hi + j), load<Doubles>(t.lo + j), load<Longs>(t.lost + j)},
                load<Longs>(t.exponent + j),
                load<Longs>(t.mark + j)};
    }

    static SAMESUM_INLINE void store_plain(Tile& t, std::size_t j, const PlainProducts& plain) {
        store(t.hi + j, plain.hi);
        store(t.lo + j, plain.lo);
        store(t.lost + j, plain.lost);
    }

    static SAMESUM_INLINE void store_state(Tile& t, std::size_t j, const State& state) {
        store_plain(t, j, state.plain);
        store(t.exponent + j, state.exponent);
        store(t.mark + j, state.mark);
    }

    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t column_strip(Tile& t, const ScanRows& all, std::size_t j,
                                                   std::size_t at, bool fresh) {
        State state = load_state(t, at);
        const bool apart = state.is_apart();
        const std::size_t failures =
            scan_known_strip<ProductColumns, format, whole, known>(state, all, j, fresh);
        store_plain(t, at, state.plain);
        if (apart || state.is_apart()) {
            store(t.exponent + at, state.exponent);
            store(t.mark + at, state.mark);
        }
        return failures;
    }

    // Up to tall_rows rows; false, and nothing has happened, unless they are all certain, and near one or
    // zero.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool tall_strip(Tile& t, const Rows& rows, std::size_t at) {
        const State state = load_state(t, at);
        PlainProducts strip = state.plain;
        // Where they begin so near to the least normal numbers, they are likely to leave them.
        if (state.is_apart() || strip.has_less_than(0x1p-120)) return false;
        ManyNearby<format, tall_rows> results;
        for (std::size_t r = 0; r < rows.count(); ++r) {
            strip.take(rows.at(r));
            rows.put(r, results.take(strip.hi));
        }
        strip.normalise();
        if (!results.are_certain() || !strip.is_near_or_zero()) return false;
        store_plain(t, at, strip);
        return true;
    }

    static std::size_t columns(void* tile, const ScanRows& rows) {
        return in_format_within<F::format>(
            rows.format, [&]<Format to>() { return scan_columns<F, ProductColumns, to>(tile, rows); });
    }
};

}  // namespace samesum::SAMESUM_ISA
