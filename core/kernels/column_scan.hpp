// Prefix sums of columns, a few rows at a time.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/grid.hpp"
#include "kernels/method.hpp"
#include "kernels/prefixes.hpp"
#include "kernels/strips.hpp"
#include "kernels/sum_strip.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct ColumnScan {
    using Strip = Sums;
    static constexpr bool is_double = F::format == Format::f64;
    static constexpr bool takes(Format) { return true; }

    // Of each column the sum so far, of what was rounded off it the sum, and of what was rounded off that the
    // magnitudes. While all elements of a strip are on a grid (kernels/grid.hpp), nothing is: `shift` is then
    // not zero.
    struct Tile {
        double sum[tile_pitch], rest[tile_pitch], lost[tile_pitch], shift[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    // A grid that holds nothing: the first elements choose another.
    static constexpr double no_grid = 0x1p-900;

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < (n + width - 1) / width * width; ++j) {
            t.sum[j] = t.rest[j] = t.lost[j] = 0;
            t.shift[j] = is_double ? 0 : no_grid;
        }
    }

    // A row of a strip.
    struct Place {
        const char* p;
        char* out;
        std::size_t left;
    };
    template <bool whole>
    static SAMESUM_INLINE Place place_of(const ScanRows& all, std::size_t r, std::size_t j) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
        return {all.x + at * all.in + j * F::size, all.out + at * all.to + j * size_of(all.format),
                whole ? width : all.n - j};
    }

    // Rows of a strip, whose states move on; false if a prefix was in doubt.
    template <Format format, bool whole>
    static SAMESUM_INLINE bool pass(const ScanRows& all, std::size_t j, Strip& strip) {
        Words wrong = {};
        for (std::size_t r = 0; r < all.rows; ++r) {
            const Place at = place_of<whole>(all, r, j);
            strip.add(elements<F>(at.p, at.left));
            const Verdict<format> v = verdict<format>(strip);
            wrong |= v.wrong;
            store_prefixes<format>(at.out, 0, at.left, v.bits);
        }
        return !any_bit(wrong);
    }

    struct State {
        Strip strip;
        Doubles shift;
    };

    static SAMESUM_INLINE State empty_state() {
        return {{Doubles{}, Doubles{}, Doubles{}}, Doubles{} + (is_double ? 0 : no_grid)};
    }

    static SAMESUM_INLINE State load_state(const Tile& t, std::size_t j) {
        return {Sums::at(t.sum + j, t.rest + j, t.lost + j), load<Doubles>(t.shift + j)};
    }

    static SAMESUM_INLINE void store_state(Tile& t, std::size_t j, const State& state) {
        state.strip.put(t.sum + j, t.rest + j, t.lost + j);
        store(t.shift + j, state.shift);
    }

    // Columns that go on from these carries.
    static void start(void* tile, const Carry* carries, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        init(tile, n);
        bool exact = !is_double;
        for (std::size_t j = 0; j < n; ++j) {
            const Sum& carry = carries[j].sum;
            t.sum[j] = carry.hi;
            t.rest[j] = carry.lo;
            t.lost[j] = carry.bound;
            exact = exact && carry.lo == 0 && carry.bound == 0;
        }
        for (std::size_t j = 0; j < n && !exact; ++j) t.shift[j] = 0;
    }

    // Rows of a strip on its grid; false if an element or a sum is not.
    template <Format format, bool whole>
    static SAMESUM_INLINE bool pass_exact(const ScanRows& all, std::size_t j, Doubles& sum, Doubles shift) {
        Doubles s = sum;
        Longs off = {};
        for (std::size_t r = 0; r < all.rows; ++r) {
            const Place at = place_of<whole>(all, r, j);
            const Doubles x = elements<F>(at.p, at.left);
            s += x;
            off |= ((x + shift) - shift != x) | (samesum::SAMESUM_ISA::magnitude(s) >= shift);
            store_prefixes<format>(at.out, 0, at.left, Rounding<format>::of_number(s));
        }
        if (any(off)) return false;
        sum = s;
        return true;
    }

    // A grid for the strip that has room for its sums to grow; zero if there is none.
    static Doubles chosen_grid(const ScanRows& all, std::size_t j, Doubles sum) {
        Doubles sizes = samesum::SAMESUM_ISA::magnitude(sum);
        for (std::size_t r = 0; r < all.rows; ++r) {
            const Place at = place_of<false>(all, r, j);
            sizes += samesum::SAMESUM_ISA::magnitude(elements<F>(at.p, at.left));
        }
        double size = 0;
        for (std::size_t k = 0; k < width; ++k) size += sizes[k];
        return Doubles{} + (size < grid_limit ? Grid::over(size).shift : 0);
    }

    // False if the strip has left its grid.
    template <Format format, bool whole>
    static SAMESUM_INLINE bool try_exact(State& state, const ScanRows& all, std::size_t j) {
        if (state.shift[0] == 0) return false;
        return (state.shift[0] > no_grid && pass_exact<format, whole>(all, j, state.strip.hi, state.shift)) ||
               change_grid<format, whole>(state, all, j);
    }

    template <Format format, bool whole>
    static bool change_grid(State& state, ScanRows all, std::size_t j) {
        const Doubles shift = chosen_grid(all, j, state.strip.hi);
        const bool exact = shift[0] > 0 && pass_exact<format, whole>(all, j, state.strip.hi, shift);
        state.shift = exact ? shift : Doubles{};
        return exact;
    }

    // The same in double-words; those that fail are marked.
    static std::size_t certify(ScanRows all, std::size_t j, Strip strip) {
        const std::size_t n = all.n - j < width ? all.n - j : width;
        std::size_t failures = 0;
        for (std::size_t r = 0; r < all.rows; ++r) {
            const Place at = place_of<false>(all, r, j);
            strip.add(elements<F>(at.p, at.left));
            double sum[width], rest[width], bound[width];
            store(sum, strip.hi);
            store(rest, strip.lo);
            store(bound, strip.bound * bound_slack);
            std::uint8_t* failed = all.failed + r * all.n + j;
            std::size_t wrong =
                certify_words({sum, rest, bound}, n, {Finalize::itself, all.format, 1}, at.out, failed);
            if (wrong > 0 && !is_double) wrong -= accept_special(sum, n, all.format, at.out, failed);
            failures += wrong;
        }
        return failures;
    }

    // A strip of columns; `fresh` if no column of these rows has failed yet.
    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_strip(State& state, ScanRows all, std::size_t j, bool fresh) {
        if constexpr (known > 0) all.rows = known;
        if (!is_double && try_exact<format, whole>(state, all, j)) return 0;
        const Strip before = state.strip;
        if (pass<format, whole>(all, j, state.strip)) return 0;
        if (fresh) std::memset(all.failed, 0, all.rows * all.n);
        return certify(all, j, before);
    }

    // The same of any number of rows of a whole strip.
    template <Format format>
    static __attribute__((noinline)) std::size_t scan_any(State& state, const ScanRows& all) {
        return scan_strip<format, true, 0>(state, all, 0, true);
    }

    // All rows of a strip of columns, few enough for their exponents to tell that no sum is rounded.
    template <Format format, std::size_t known>
    static SAMESUM_INLINE std::size_t scan_whole(ScanRows all) {
        if constexpr (known > 0) all.rows = known;
        State state = empty_state();
        if constexpr (is_double) {
            return scan_strip<format, true, 0>(state, all, 0, true);
        } else {
            return pass_few<format>(all) ? 0 : scan_any<format>(state, all);
        }
    }

    template <Format format>
    static SAMESUM_INLINE bool pass_few(const ScanRows& all) {
        ExponentSpread<F> seen;
        Doubles sum = {};
        for (std::size_t r = 0; r < all.rows; ++r) {
            const Floats x = F::floats(place_of<true>(all, r, 0).p);
            seen.take(x);
            sum += widen(x);
            store_prefixes<format>(place_of<true>(all, r, 0).out, 0, width, Rounding<format>::of_number(sum));
        }
        return seen.is_small();
    }

    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE std::size_t column_strip(Tile& t, const ScanRows& all, std::size_t j, bool fresh) {
        if (!is_double && stays_exact<format, whole, known>(t, all, j)) return 0;
        State state = load_state(t, j);
        const std::size_t failures = scan_strip<format, whole, known>(state, all, j, fresh);
        store_state(t, j, state);
        return failures;
    }

    // What scan_strip tries first, without the rest of the state.
    template <Format format, bool whole, std::size_t known>
    static SAMESUM_INLINE bool stays_exact(Tile& t, ScanRows all, std::size_t j) {
        if constexpr (known > 0) all.rows = known;
        if (t.shift[j] <= no_grid) return false;
        Doubles sum = load<Doubles>(t.sum + j);
        if (!pass_exact<format, whole>(all, j, sum, load<Doubles>(t.shift + j))) return false;
        store(t.sum + j, sum);
        return true;
    }

    static std::size_t columns(void* tile, const ScanRows& rows) {
        return in_float_format(
            rows.format, [&]<Format format>() { return scan_columns<F, ColumnScan, format>(tile, rows); });
    }
};

}  // namespace samesum::SAMESUM_ISA
