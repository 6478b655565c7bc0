// Prefix sums of a block of a row, after a carry.
#pragma once

#include "kernels/blocks/grid.hpp"
#include "kernels/certify/certify.hpp"
#include "kernels/loops/prefixes.hpp"
#include "kernels/scans/column_scan.hpp"
#include "kernels/scans/line_scan.hpp"
#include "kernels/scans/prefixes.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// What becomes of the prefixes of a block of a row once they are known within a bound.

// They are written rounded, and it is told whether all of them are certain.
template <Format format>
class RoundedPrefixes {
  public:
    explicit SAMESUM_INLINE RoundedPrefixes(void* out) : out_(out) {}

    // n or a whole vector of prefixes, from number i on.
    SAMESUM_INLINE void take_exact(std::size_t i, std::size_t n, Doubles value) {
        store_prefixes<format>(out_, i, n, Round::of_number(value));
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t n, Doubles value, double bound) {
        put(i, n, Round::of_number(value - bound), Round::of_number(value + bound));
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t n, Doubles high, Doubles low, double bound) {
        put(i, n, Round::of(high, low - bound), Round::of(high, low + bound));
    }
    SAMESUM_INLINE bool are_certain() const { return !any_bit(wrong_); }

  private:
    using Round = Rounding<format>;
    using Bits = typename Round::Bits;

    SAMESUM_INLINE void put(std::size_t i, std::size_t n, Bits least, Bits greatest) {
        wrong_ |= Round::different(least, greatest);
        store_prefixes<format>(out_, i, n, least);
    }

    void* const out_;
    Words wrong_ = {};
};

// Sums of doubles along a line (kernels/loops/prefixes.hpp), rounded as they come.
struct RoundedSums {
    static SAMESUM_INLINE Doubles joined(Doubles a, Doubles b) { return a + b; }
    static SAMESUM_INLINE Doubles none(Doubles) { return Doubles{}; }
};

// Prefixes of one block as unrounded words.
struct ScanWords {
    alignas(64) double hi[scan_elements + width];
    alignas(64) double lo[scan_elements + width];
    alignas(64) double bound[scan_elements + width];
};

// Adds the ways for lines and for few rows to a method.
template <class Scan>
constexpr void take_lines(ScanMethod& m) {
    m.start = Scan::start;
    m.lines = Scan::Lines::lines;
    m.short_lines = Scan::ShortLines::short_lines;
    m.short_columns = scan_short_columns<typename Scan::Columns>;
    m.takes_tall = true;
    m.least_part = Scan::least_part;
}

template <class F>
struct FloatScan {
    static constexpr bool is_double = F::format == Format::f64;

    static void join(Carry& carry, const Carry& part) { add(carry.sum, part.sum); }

    static SAMESUM_INLINE auto elements_of_line(const char* p, std::size_t n) {
        return [p, n](std::size_t i) SAMESUM_INLINED { return elements<F>(p + i * F::size, n - i); };
    }

    // Float64 prefixes that are rounded nowhere but in the end.
    template <class Test>
    static bool try_exact(const Carry& carry, const Carry& part, const char* p, std::size_t n, Test test) {
        const Grid grid{part.shift, 0};
        const bool exact = grid.holds(carry.sum.hi) && carry.sum.lo == 0 && carry.sum.bound == 0 &&
                           (samesum::magnitude(carry.sum.hi) + part.size) * bound_slack < part.shift;
        if (!exact) return false;
        scan_line<RoundedSums>(n, Doubles{} + carry.sum.hi, elements_of_line(p, n),
                               [&](std::size_t i, Doubles v)
                                   SAMESUM_INLINED { test.take_exact(i, n - i, v); });
        return true;
    }

    // Plain float64 prefixes: enough for almost every block of a narrower format. (Lemma 31)
    template <class Test>
    static bool try_plain(const Carry& carry, const Carry& part, const char* p, std::size_t n, Test test) {
        const double size = (samesum::magnitude(carry.sum.hi) + part.size) * bound_slack;
        const double depth = static_cast<double>(n / width + 16);
        const double known =
            samesum::magnitude(carry.sum.lo) + carry.sum.bound + depth * unit_roundoff * size;
        const double bound = known * bound_slack + size * 0x1p-52;
        if (!(size < infinity)) return false;
        scan_line<RoundedSums>(n, Doubles{} + carry.sum.hi, elements_of_line(p, n),
                               [&](std::size_t i, Doubles v)
                                   SAMESUM_INLINED { test.take(i, n - i, v, bound); });
        return test.are_certain();
    }

    // The leading parts on a grid, where they are exact, and the remainders beside them; what is not certain
    // so may be if the remainders are on a finer grid, where they are exact too. (Lemma 32)
    template <class Test>
    static bool try_grid(const Carry& carry, const Carry& part, const char* p, std::size_t n, Test test) {
        const double size = samesum::magnitude(carry.sum.hi) + part.size;
        if (!(size < grid_limit)) return false;
        const Grid grid = Grid::over(size);
        const double first = (carry.sum.hi + grid.shift) - grid.shift;
        double rest, lost;
        two_sum(carry.sum.hi - first, carry.sum.lo, rest, lost);
        const double known = carry.sum.bound + samesum::magnitude(lost);
        const double most = static_cast<double>(n + 1) * grid.rest + samesum::magnitude(rest);
        const double bound = known + static_cast<double>(n / width + 16) * unit_roundoff * bound_slack * most;
        const Start start{first, rest, grid.shift, Grid::over(most).shift};
        if (on_grid(start, false, bound * bound_slack + most * 0x1p-52, p, n, test)) return true;
        const double rough = known > 0 ? known * bound_slack + most * 0x1p-52 : 0;
        return Grid::over(most).holds(rest) && on_grid(start, true, rough, p, n, test);
    }

    struct Start {
        double lead, rest, shift, fine_shift;
    };

    // `exact`: also false if a remainder is off the finer grid.
    template <class Test>
    static SAMESUM_APART bool on_grid(const Start& start, bool exact, double bound, const char* p,
                                      std::size_t n, Test test) {
        Doubles lead = Doubles{} + start.lead, rest = Doubles{} + start.rest;
        Longs off = {};
        for (std::size_t i = 0; i < n; i += width, p += width * F::size) {
            const Doubles v = elements<F>(p, n - i), q = (v + start.shift) - start.shift, r = v - q;
            off |= (r + start.fine_shift) - start.fine_shift != r;
            const Doubles high = prefixes_of<RoundedSums>(q) + lead, low = prefixes_of<RoundedSums>(r) + rest;
            lead = last_of(high);
            rest = last_of(low);
            test.take(i, n - i, high, low, bound);
        }
        return test.are_certain() && !(exact && any(off));
    }

    // One after the other in double-words.
    static void words_of(const Sum& carry, const char* p, std::size_t n, ScanWords& x) {
        for (std::size_t i = 0; i < n; i += width) store(x.hi + i, elements<F>(p + i * F::size, n - i));
        double sum = carry.hi, rest = carry.lo, lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double error;
            two_sum(sum, x.hi[i], sum, error);
            rest += error;
            lost += samesum::magnitude(error);
            x.hi[i] = sum;
            x.lo[i] = rest;
            x.bound[i] = lost;
        }
        // As long as no addition rounded, none of the low words did. (Lemma 32)
        const double before = samesum::magnitude(carry.lo);
        for (std::size_t i = 0; i < n; ++i) {
            const double depth = static_cast<double>(i + 2) * (unit_roundoff * bound_slack);
            x.bound[i] = carry.bound + (x.bound[i] != 0 ? depth * (before + x.bound[i]) : 0);
        }
    }

    static SAMESUM_APART std::size_t in_words(const Sum& carry, const char* p, std::size_t n, Format format,
                                              void* out, std::uint8_t* failed) {
        ScanWords x;
        words_of(carry, p, n, x);
        const Finish how{Finalize::itself, format, 1};
        const std::size_t failures = certify_words({x.hi, x.lo, x.bound}, n, how, out, failed);
        if (failures == 0 || is_double) return failures;
        return failures - accept_special(x.hi, n, format, out, failed);
    }

    template <Format format>
    static std::size_t row_in(const Carry& carry, const Carry& part, const char* p, std::size_t n, void* out,
                              std::uint8_t* failed) {
        const RoundedPrefixes<format> test{out};
        if constexpr (!is_double) {
            if (try_exact(carry, part, p, n, test)) return 0;
        }
        if constexpr (!is_double && format != Format::f64) {
            if (try_plain(carry, part, p, n, test)) return 0;
        }
        if (try_grid(carry, part, p, n, test)) return 0;
        return in_words(carry.sum, p, n, format, out, failed);
    }

    static SAMESUM_APART std::size_t row(const Carry& carry, const Carry& part, const void* x, std::size_t n,
                                         Format format, void* out, std::uint8_t* failed) {
        const char* p = static_cast<const char*>(x);
        return in_format_within<F::format>(
            format, [&]<Format to>() { return row_in<to>(carry, part, p, n, out, failed); });
    }

    using Columns = ColumnScan<F>;
    static constexpr auto start = Columns::start;
    static constexpr auto total = BlockTotal<F>::of;

    // Narrower vectors are shuffled for longer than rows are scanned.
    static constexpr bool is_half = F::format == Format::f16, is_wide = width >= 8;
    static constexpr std::size_t least_part = is_half || (is_double && is_wide) ? scan_elements
                                              : is_wide                         ? 7 * scan_elements
                                                                                : 0;
    using Lines = LineScan<F, Columns>;
    using ShortLines = ShortLineScan<F, Columns>;

    static constexpr std::size_t most_rows = 64;

    static constexpr ScanMethod method(Format to) {
        ScanMethod m{{}, total, join, row, Columns::init, Columns::columns};
        if (to != F::format) return m;
        take_lines<FloatScan>(m);
        m.most_rows = most_rows;
        return m;
    }
};

// For each format of the elements, in which they are scanned, methods for each format of the prefixes.
template <template <class> class Scan>
constexpr void fill_scans(ScanMethod (&methods)[4][4]) {
    for (std::size_t to = 0; to < 4; ++to) {
        methods[0][to] = Scan<Float16>::method(static_cast<Format>(to));
        methods[1][to] = Scan<Bfloat16>::method(static_cast<Format>(to));
        methods[2][to] = Scan<Float32>::method(static_cast<Format>(to));
        methods[3][to] = Scan<Float64>::method(static_cast<Format>(to));
    }
}

}  // namespace samesum::SAMESUM_ISA
