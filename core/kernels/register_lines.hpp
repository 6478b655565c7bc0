// Short lines of float64, scanned from the elements to the prefixes in registers: squares of them are
// transposed, scanned as columns and transposed back. A pass says what becomes of each element after the
// other of `width` lines, which may be in doubt in the end: then all is written again by other ways.
#pragma once

#include "kernels/grid.hpp"
#include "kernels/line_group.hpp"
#include "kernels/plain_products.hpp"

namespace samesum::SAMESUM_ISA {

// Prefix sums in two parts that are exact, on one grid for many lines.
class SumPass {
  public:
    static constexpr double neutral = 0;

    // What the elements of some lines tell, each of which is one scan or several of `period` elements.
    struct Plan {
        double shift;
        bool usable;

        static SAMESUM_INLINE Plan of(const ShortScanLines& lines, std::size_t period) {
            Doubles greatest[chains] = {}, least[chains];
            for (Doubles& each : least) each = Doubles{} + infinity;
            each_vector(lines, [&](std::size_t k, Doubles v) {
                greatest[k] = greater_magnitude(greatest[k], v);
                least[k] = lesser_magnitude(least[k], v);
            });
            double smallest = least_of(least);
            if (smallest == 0) smallest = least_but_zeros(lines);
            const auto greater = [](Doubles a, Doubles b) { return greater_magnitude(a, b); };
            const double count = static_cast<double>(period), size = across(greatest, greater) * count;
            if (!(size < grid_limit)) return {0, false};
            const double shift = Grid::over(size).shift;
            // The remainders of so many elements on the grid do not add up to more than 53 bits.
            return {shift, smallest > shift * ((count + 2) * 0x1p-52)};
        }
    };

    explicit SAMESUM_INLINE SumPass(const Plan& plan) : shift_(Doubles{} + plan.shift) {}

    SAMESUM_INLINE Doubles take(Doubles x, std::size_t) {
        const Doubles q = (x + shift_) - shift_;
        lead_ += q;
        rest_ += x - q;
        return lead_ + rest_;
    }
    // NaNs are left in the end of each scan.
    SAMESUM_INLINE void restart(std::size_t) {
        ends_ += lead_;
        lead_ = rest_ = Doubles{};
    }
    SAMESUM_INLINE void settle() {}
    SAMESUM_INLINE bool is_certain() const { return !any(ends_ != ends_); }

  private:
    static constexpr std::size_t chains = 4;

    // take(k, v) of all elements in whole vectors, of which the last one of a line is over some of the one
    // before.
    template <class Take>
    static SAMESUM_INLINE void each_vector(const ShortScanLines& lines, const Take& take) {
        const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(lines.n * sizeof(double));
        const bool together = lines.pitch == bytes;
        const std::size_t rows = together ? 1 : lines.lines, n = together ? lines.lines * lines.n : lines.n;
        const char* p = lines.x;
        for (std::size_t r = 0; r < rows; ++r, p += lines.pitch) {
            std::size_t i = 0;
            for (; i + chains * width <= n; i += chains * width)
                for_each_of<chains>(
                    [&](std::size_t k) { take(k, load<Doubles>(p + (i + k * width) * sizeof(double))); });
            for (; i < n; i += width) {
                const std::size_t at = i < n - width ? i : n - width;
                take(0, load<Doubles>(p + at * sizeof(double)));
            }
        }
    }

    static __attribute__((noinline)) double least_but_zeros(const ShortScanLines& lines) {
        Doubles least[chains];
        for (Doubles& each : least) each = Doubles{} + infinity;
        each_vector(lines, [&](std::size_t k, Doubles v) {
            least[k] = v == 0 ? least[k] : lesser_magnitude(least[k], v);
        });
        return least_of(least);
    }

    static SAMESUM_INLINE double least_of(const Doubles (&least)[chains]) {
        return across(least, [](Doubles a, Doubles b) { return lesser_magnitude(a, b); });
    }

    template <class Of>
    static SAMESUM_INLINE double across(const Doubles (&all)[chains], const Of& of) {
        Doubles v = of(of(all[0], all[1]), of(all[2], all[3]));
        v = of(v, swapped<1>(v));
        if constexpr (width >= 4) v = of(v, swapped<2>(v));
        if constexpr (width >= 8) v = of(v, swapped<4>(v));
        return v[0];
    }

    Doubles shift_, lead_ = {}, rest_ = {}, ends_ = {};
};

template <class Pass>
struct RegisterLines {
    using Row = UnsignedLongs;
    using Plan = typename Pass::Plan;
    static constexpr std::size_t size = sizeof(double);

    const char* x[width];
    char* out[width];
    std::size_t n;

    // `width` of the lines.
    SAMESUM_INLINE RegisterLines(const ShortScanLines& all, std::size_t first) : n(all.n) {
        for (std::size_t k = 0; k < width; ++k) {
            x[k] = all.x + static_cast<std::ptrdiff_t>(first + k) * all.pitch;
            out[k] = all.out + (first + k) * all.n * size;
        }
    }

    // Lines of width or more elements each; false if a prefix is in doubt.
    SAMESUM_INLINE bool scan(const Plan& plan) const {
        Pass pass(plan);
        std::size_t i = 0;
        for (; i + width <= n; i += width) {
            Doubles v[width];
            take(i, v);
            for_each_of<width>([&](std::size_t r) { v[r] = pass.take(v[r], i + r); });
            pass.settle();
            give<true>(i, v, 0);
        }
        if (i < n) scan_last(n - width, width - (n - i), pass);
        pass.restart(n);
        return pass.is_certain();
    }

    // A square of which the first rows are done.
    SAMESUM_INLINE void scan_last(std::size_t i, std::size_t done, Pass& pass) const {
        Doubles v[width];
        take(i, v);
        for_each_of<width>(
            [&](std::size_t r) { v[r] = pass.take(r < done ? Doubles{} + Pass::neutral : v[r], i + r); });
        pass.settle();
        give<false>(i, v, done);
    }

    // Lines of `width` scans of `period` < width elements each.
    SAMESUM_INLINE bool scan_packed(const Plan& plan, std::size_t period) const {
        Pass pass(plan);
        std::size_t at = 0;
        for (std::size_t i = 0; i < period * width; i += width) {
            Doubles v[width];
            take(i, v);
            for_each_of<width>([&](std::size_t r) {
                v[r] = pass.take(v[r], at);
                if (++at == period) {
                    pass.restart(period);
                    at = 0;
                }
            });
            give<true>(i, v, 0);
        }
        return pass.is_certain();
    }

    SAMESUM_INLINE void take(std::size_t i, Doubles (&v)[width]) const {
        Row rows[width];
        for_each_of<width>([&](std::size_t k) { rows[k] = load<Row>(x[k] + i * size); });
        Square<Row>::transpose(rows);
        for_each_of<width>([&](std::size_t k) { v[k] = reinterpret_cast<Doubles>(rows[k]); });
    }

    // But for the first `done` elements of each line.
    template <bool all>
    SAMESUM_INLINE void give(std::size_t i, const Doubles (&v)[width], std::size_t done) const {
        Row rows[width];
        for_each_of<width>([&](std::size_t k) { rows[k] = reinterpret_cast<Row>(v[k]); });
        Square<Row>::transpose(rows);
        for_each_of<width>([&](std::size_t k) {
            char* const to = out[k] + i * size;
            if constexpr (all)
                store(to, rows[k]);
            else
                store_from(to, rows[k], done);
        });
    }

    static SAMESUM_INLINE void store_from(char* to, Row v, std::size_t first) {
#if defined(__AVX512F__)
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(0xff << first), reinterpret_cast<__m512i>(v));
#else
        char all[sizeof v];
        store(all, v);
        std::memcpy(to + first * size, all + first * size, (width - first) * size);
#endif
    }
};

}  // namespace samesum::SAMESUM_ISA
