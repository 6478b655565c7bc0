// Sums of exponentials for their logarithm: the greatest element `top`, how many elements equal it, and the
// sum of e^(x - top) over the others, so that the result is top + log(equal + sum) and none of it cancels
// where one element stands alone.
#pragma once

#include "kernels/certify_logarithms.hpp"
#include "kernels/method.hpp"

namespace samesum::SAMESUM_ISA {

// Exponentials in doubles, or in double-words where `wide`.
template <class F, bool wide>
struct ExponentialSum {
    static constexpr bool narrow_input = F::format != Format::f64;
    using Element = std::conditional_t<narrow_input, Floats, Doubles>;
    using Mask = std::conditional_t<narrow_input, Ints, Longs>;
    static_assert(narrow_input || wide);

    struct Tile {
        double top[tile_pitch], equal[tile_pitch], sum[tile_pitch], rest[tile_pitch], bound[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    // What a term loses, relatively. In doubles x - top is rounded, which 690 magnifies, unless all elements
    // are multiples of 2^-24 below 2^17.
    static constexpr double term_error = wide ? 0x1p-68 : F::format == Format::f16 ? 0x1p-51 : 0x1.7p-44;
    // What exponentials that count as zero lose.
    static constexpr double vanished = 0x1p-995;

    static SAMESUM_INLINE Element element(const char* p) {
        if constexpr (narrow_input)
            return F::floats(p);
        else
            return F::doubles(p);
    }

    static SAMESUM_INLINE Element element(const char* p, std::size_t n) {
        if (n >= width) return element(p);
        char padded[width * F::size];
        pad<F>(p, n, padded);
        Element x = element(padded);
        for (std::size_t k = n; k < width; ++k) x[k] = -__builtin_huge_valf();
        return x;
    }

    static SAMESUM_INLINE Doubles wide_element(Element x) {
        if constexpr (narrow_input)
            return widen(x);
        else
            return x;
    }

    // The greatest element of each column; NaN where there was one.
    struct Greatest {
        Element best = Element{} - __builtin_huge_valf();
        Mask nan = {};

        SAMESUM_INLINE void take(Element x) {
            best = best > x ? best : x;
            nan |= x != x;
        }
        SAMESUM_INLINE void take(const Greatest& other) {
            best = best > other.best ? best : other.best;
            nan |= other.nan;
        }
        SAMESUM_INLINE Doubles doubles() const {
            return wide_element(nan ? Element{} + __builtin_nanf("") : best);
        }
    };

    // Terms of one block.
    struct Terms {
        Doubles equal = {}, sum = {}, rest = {};

        SAMESUM_INLINE void take(Doubles x, Doubles top) {
            const Doubles none = {};
            const Longs at_top = x == top;
            equal += at_top ? none + 1 : none;
            if constexpr (wide) {
                Doubles d, error;
                two_sum(x, -top, d, error);
                const DoubleWord term = exponential<68>(d, error);
                two_sum(sum, at_top ? none : term.hi, sum, error);
                rest += error + (at_top ? none : term.lo);
            } else {
                sum += at_top ? none : exponential(x - top);
            }
        }
        SAMESUM_INLINE void take(const Terms& other) {
            Doubles error = {};
            equal += other.equal;
            if constexpr (wide)
                two_sum(sum, other.sum, sum, error);
            else
                sum += other.sum;
            rest += other.rest + error;
        }
    };

    // Terms against a top that is not finite are not looked at, but for -inf, where there are none.
    static SAMESUM_INLINE Doubles usable(Doubles top) {
        return samesum::SAMESUM_ISA::magnitude(top) < infinity ? top : Doubles{};
    }

    // What `terms` are off by, if none went through more than `depth` additions: in double-words the low
    // words' own roundings are far below the terms' errors.
    static SAMESUM_INLINE Doubles bound_of(const Terms& terms, double depth, Doubles lost) {
        const double relative = wide ? 2 * term_error : term_error + depth * 0x1p-53;
        return terms.sum * (relative * 1.01) + lost * vanished;
    }

    // Beside such a top, what counts as zero is too little to be told.
    static SAMESUM_INLINE bool may_count_all(Doubles top) {
        return !any(samesum::SAMESUM_ISA::magnitude(top) < 0x1p-500);
    }

    // One for each element whose exponential is not zero but counts as that.
    static SAMESUM_INLINE Doubles vanishing(Doubles x, Doubles top) {
        const Doubles none = {};
        return (x - top < least_power) & (x > -infinity) ? none + 1 : none;
    }

    static SAMESUM_INLINE Exponentials add(const Exponentials& a, const Exponentials& b) {
        Exponentials s{a.top, a.equal + b.equal, a.sum + b.sum, a.rest, a.bound + b.bound};
        if constexpr (wide) {
            Doubles error;
            two_sum(a.sum, b.sum, s.sum, error);
            s.rest = (a.rest + b.rest) + error;
            s.bound += (samesum::SAMESUM_ISA::magnitude(a.rest) + samesum::SAMESUM_ISA::magnitude(b.rest) +
                        samesum::SAMESUM_ISA::magnitude(error)) *
                       0x1p-52;
        } else {
            s.bound += s.sum * 0x1p-53;
        }
        return s;
    }

    // The same against a top that is not less.
    static SAMESUM_INLINE Exponentials against(Doubles top, const Exponentials& s) {
        const Doubles none = {};
        const Longs moves = (s.top < top) & (s.top > -infinity) & (top < infinity);
        if (!any(moves)) return {top, s.equal, s.sum, s.rest, s.bound};
        Doubles sum, rest = none, d, error, size;
        if constexpr (wide) {
            two_sum(s.top, -top, d, error);
            const DoubleWord scale = exponential<68>(d, error);
            two_sum(s.equal, s.sum, size, error);
            const DoubleWord moved = product(ordered_sum(size, error + s.rest), scale);
            sum = moved.hi;
            rest = moved.lo;
            size = scale.hi;
        } else {
            size = exponential(s.top - top);
            sum = (s.equal + s.sum) * size;
        }
        const Doubles bound = (s.bound * size + sum * (wide ? 2 * term_error : term_error + 0x1p-52)) * 1.01 +
                              (s.equal + s.sum) * (2 * vanished);
        return {top, moves ? none : s.equal, moves ? sum : s.sum, moves ? rest : s.rest,
                moves ? bound : s.bound};
    }

    static SAMESUM_INLINE Doubles greater(Doubles a, Doubles b) {
        const Doubles best = a > b ? a : b;
        return a == a ? best : a;
    }

    static SAMESUM_INLINE Exponentials at(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.top + j), load<Doubles>(t.equal + j), load<Doubles>(t.sum + j),
                load<Doubles>(t.rest + j), load<Doubles>(t.bound + j)};
    }

    static SAMESUM_INLINE void set(Tile& t, std::size_t j, const Exponentials& s) {
        t.top[j] = s.top[0];
        t.equal[j] = s.equal[0];
        t.sum[j] = s.sum[0];
        t.rest[j] = s.rest[0];
        t.bound[j] = s.bound[0];
    }

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.top[j] = -infinity;
        for (std::size_t j = 0; j < n; ++j) t.equal[j] = t.sum[j] = t.rest[j] = t.bound[j] = 0;
    }

    static SAMESUM_INLINE Doubles greatest_of(const char* p, std::size_t n) {
        constexpr std::size_t chains = 4, step = chains * width;
        Greatest chain[chains];
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch<step * F::size>(p + prefetch_distance);
            for (std::size_t k = 0; k < chains; ++k) chain[k].take(element(p + k * width * F::size));
        }
        for (; i < n; i += width, p += width * F::size) chain[0].take(element(p, n - i));
        chain[0].take(chain[1]);
        chain[2].take(chain[3]);
        chain[0].take(chain[2]);
        Doubles best = chain[0].doubles();
        best = greater(best, swapped<1>(best));
        if constexpr (width >= 4) best = greater(best, swapped<2>(best));
        if constexpr (width >= 8) best = greater(best, swapped<4>(best));
        return best;
    }

    template <int distance>
    static SAMESUM_INLINE void fold(Terms& terms) {
        terms.take(Terms{swapped<distance>(terms.equal), swapped<distance>(terms.sum),
                         swapped<distance>(terms.rest)});
    }

    static constexpr std::size_t chains = 2, step = chains * width;

    static SAMESUM_INLINE Terms terms_of(const char* p, std::size_t n, Doubles top) {
        Terms terms[chains];
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            for (std::size_t k = 0; k < chains; ++k)
                terms[k].take(wide_element(element(p + k * width * F::size)), top);
        }
        for (; i < n; i += width, p += width * F::size) terms[0].take(wide_element(element(p, n - i)), top);
        terms[0].take(terms[1]);
        fold<1>(terms[0]);
        if constexpr (width >= 4) fold<2>(terms[0]);
        if constexpr (width >= 8) fold<4>(terms[0]);
        return terms[0];
    }

    static Doubles all_vanishing(const char* p, std::size_t n, Doubles top) {
        Doubles lost = {}, total = {};
        for (std::size_t i = 0; i < n; i += width, p += width * F::size)
            lost += vanishing(wide_element(element(p, n - i)), top);
        for (std::size_t k = 0; k < width; ++k) total += lost[k];
        return total;
    }

    static SAMESUM_INLINE Exponentials block(const char* p, std::size_t n) {
        const Doubles top = greatest_of(p, n), none = {};
        if (!(samesum::magnitude(top[0]) < infinity)) return {top, none, none, none, none};
        const Terms terms = terms_of(p, n, top);
        const Doubles lost = may_count_all(top) ? none + static_cast<double>(n) : all_vanishing(p, n, top);
        const double depth = static_cast<double>(n / step + chains + 8);
        return {top, terms.equal, terms.sum, terms.rest, bound_of(terms, depth, lost)};
    }
    static SAMESUM_INLINE void join(Tile& t, std::size_t j, const Exponentials& s) {
        if (t.top[j] == -infinity) return set(t, j, s);
        const Doubles none = {};
        const Exponentials old{none + t.top[j], none + t.equal[j], none + t.sum[j], none + t.rest[j],
                               none + t.bound[j]};
        const Doubles top = greater(old.top, greater(s.top, old.top));
        set(t, j, add(against(top, old), against(top, s)));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        join(*static_cast<Tile*>(tile), j, block(static_cast<const char*>(x), n));
    }

    // Rows of some columns that are read at once: the greatest first, then the exponentials.
    static constexpr std::size_t batch = 16;

    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                        std::size_t rows, std::size_t n) {
        Element x[batch];
        Greatest greatest;
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            __builtin_prefetch(p + static_cast<std::ptrdiff_t>(batch) * row_stride, 0, 2);
            x[r] = element(p, n);
            greatest.take(x[r]);
        }
        const Exponentials old = at(t, j);
        const Doubles best = greatest.doubles(), top = greater(old.top, greater(best, old.top));
        const Doubles limit = usable(top);
        Terms terms;
        for (std::size_t r = 0; r < rows; ++r) terms.take(wide_element(x[r]), limit);
        const double count = static_cast<double>(rows);
        Doubles lost = Doubles{} + count;
        if (!may_count_all(top)) {
            lost = Doubles{};
            for (std::size_t r = 0; r < rows; ++r) lost += vanishing(wide_element(x[r]), limit);
        }
        const Doubles bound = bound_of(terms, count, lost);
        const Exponentials s = add(against(top, old), {top, terms.equal, terms.sum, terms.rest, bound});
        store(t.top + j, s.top);
        store(t.equal + j, s.equal);
        store(t.sum + j, s.sum);
        store(t.rest + j, s.rest);
        store(t.bound + j, s.bound);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        while (rows > 0) {
            const std::size_t now = rows < batch ? rows : batch;
            for (std::size_t j = 0; j < n; j += width)
                add_rows(t, j, p + j * F::size, row_stride, now, n - j);
            p += static_cast<std::ptrdiff_t>(now) * row_stride;
            rows -= now;
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const Tile& f = *static_cast<const Tile*>(from);
        const Doubles none = {};
        join(*static_cast<Tile*>(tile), j,
             {none + f.top[i], none + f.equal[i], none + f.sum[i], none + f.rest[i], none + f.bound[i]});
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<const Tile*>(tile);
        const auto states = [&](std::size_t j) { return at(t, j); };
        return certify_exponentials<wide ? 88 : 50>(states, n, how.format, out, failed);
    }

    static constexpr Method method() { return {tile_columns, init, each_lane<lane>, columns, merge, finish}; }
};

}  // namespace samesum::SAMESUM_ISA
