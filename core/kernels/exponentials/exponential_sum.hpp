// Sums of exponentials for their logarithm: the greatest element `top`, how many elements equal it, and the
// sum of e^(x - top) over the others, so that the result is top + log(equal + sum) and none of it cancels
// where one element stands alone.
#pragma once

#include "kernels/exponentials/exponential_terms.hpp"
#include "kernels/loops/lanes.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// The states of sums of exponentials, whatever their elements are.
struct ExponentialStates {
    struct Tile {
        double top[tile_pitch], equal[tile_pitch], sum[tile_pitch], rest[tile_pitch], bound[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static SAMESUM_INLINE ExponentialRows rows(const Tile& t) {
        return {t.top, t.equal, t.sum, t.rest, t.bound};
    }
    static SAMESUM_INLINE Exponentials at(const Tile& t, std::size_t j) { return rows(t).at(j); }

    // In every element.
    static SAMESUM_INLINE Exponentials same(const Tile& t, std::size_t j) {
        const Doubles none = {};
        return {none + t.top[j], none + t.equal[j], none + t.sum[j], none + t.rest[j], none + t.bound[j]};
    }

    static SAMESUM_INLINE void put(Tile& t, std::size_t j, const Exponentials& s) {
        store(t.top + j, s.top);
        store(t.equal + j, s.equal);
        store(t.sum + j, s.sum);
        store(t.rest + j, s.rest);
        store(t.bound + j, s.bound);
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
        for (std::size_t j = 0; j < n + width; ++j) t.top[j] = -infinity;  // a last vector is whole
        for (std::size_t j = 0; j < n; ++j) t.equal[j] = t.sum[j] = t.rest[j] = t.bound[j] = 0;
    }

    template <int bits>
    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        return certify_exponentials<bits>(rows(*static_cast<const Tile*>(tile)), n, how.format, out, failed);
    }
};

template <class F>
struct ExponentialSum : ExponentialTerms<F>, ExponentialStates {
    using Of = ExponentialTerms<F>;
    using Of::add, Of::against, Of::bound_of, Of::element, Of::greater, Of::may_count_all, Of::usable,
        Of::vanishing, Of::wide, Of::wide_element;
    // What they are merged by: in doubles all formats are taken to lose the same.
    using Any = ExponentialSum<std::conditional_t<wide, Float64, Float32>>;
    using typename Of::Element;
    using typename Of::Greatest;
    using typename Of::Terms;

    static SAMESUM_INLINE Doubles greatest_of(const char* p, std::size_t n) {
        Doubles best = state_of_run<Greatest, Of>(p, n).doubles();
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

    static SAMESUM_INLINE Exponentials joined(const Exponentials& old, const Exponentials& s) {
        const Doubles top = greater(old.top, greater(s.top, old.top));
        return add(against(top, old), against(top, s));
    }

    static SAMESUM_INLINE void join(Tile& t, std::size_t j, const Exponentials& s) {
        if (t.top[j] == -infinity) return set(t, j, s);
        set(t, j, joined(same(t, j), s));
    }

    // A vector of states after `s`, whose top is not below theirs.
    static SAMESUM_INLINE Exponentials after(const Exponentials& old, const Exponentials& s) {
        return any(old.top != -infinity) ? add(against(s.top, old), s) : s;
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Any::join(*static_cast<Tile*>(tile), j, block(static_cast<const char*>(x), n));
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
        put(t, j, after(old, {top, terms.equal, terms.sum, terms.rest, bound}));
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

    // A vector of states, each by itself where one is of nothing yet.
    static void merge(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const Tile& f = *static_cast<const Tile*>(from);
        std::size_t k = 0;
        for (; k + width <= n; k += width) {
            const Exponentials old = at(t, j + k);
            if (any(old.top == -infinity)) break;
            put(t, j + k, joined(old, at(f, i + k)));
        }
        for (; k < n; ++k) join(t, j + k, same(f, i + k));
    }

    static constexpr Method method() {
        constexpr int bits = wide ? 88 : 50;
        return {tile_columns, init, each_lane<lane>, columns, Any::merge, finish<bits>};
    }
};

}  // namespace samesum::SAMESUM_ISA
