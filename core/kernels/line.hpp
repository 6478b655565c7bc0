// Softmax and its logarithm of one line. What is added is added in an order that the vectors' width does not
// change, nor whether lines are taken one by one or side by side.
#pragma once

#include <type_traits>

#include "kernels/double_lines.hpp"
#include "kernels/exponential.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of a block are added to as many totals, by their index, which are joined by halves.
constexpr std::size_t line_lanes = 16;
// Terms of a lane that are added up before they join its total.
constexpr std::size_t lane_terms = 8;
constexpr std::size_t stretch = line_lanes * lane_terms;
static_assert(line_block % stretch == 0);

template <class A>
struct Line {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using LaneSum = typename A::LaneSum;
    static constexpr std::size_t elements = A::elements, size = size_of(A::format),
                                 parts = line_lanes / elements;

    static SAMESUM_INLINE Vector at(const char* x, std::size_t i, std::size_t n) {
        const char* p = x + i * size;
        return n - i >= elements ? A::load_whole(p) : A::load_part(p, n - i);
    }

    static SAMESUM_INLINE void put(void* out, std::size_t i, std::size_t n, Vector v) {
        A::store_part(static_cast<char*>(out) + i * size, v, n - i);
    }

    // So that x - most is +0 for zeros of either sign.
    static SAMESUM_INLINE Vector subtrahend(Vector most) { return most == 0 ? -Vector{} : most; }

    static SAMESUM_INLINE Vector subtrahend(double most) {
        return subtrahend(Vector{} + static_cast<typename A::Scalar>(most));
    }

    // take(vectors, i, lane): whole groups of vectors from element i on, the first of them of this lane, then
    // one after the other.
    template <class Take>
    static SAMESUM_INLINE void for_each_group(std::size_t first, std::size_t last, Take take) {
        constexpr std::integral_constant<std::size_t, A::together> group;
        constexpr std::integral_constant<std::size_t, 1> one;
        static_assert(stretch % (group * elements) == 0 && group % parts == 0);
        std::size_t i = first;
        for (; last - i >= group * elements; i += group * elements) take(group, i, 0);
        for (; i < last; i += line_lanes)
            for_each_of<parts>([&](std::size_t k) {
                if (i + k * elements < last) take(one, i + k * elements, k);
            });
    }

    // Those of one vector may be fewer; -inf stands for the others.
    template <std::size_t count>
    static SAMESUM_INLINE void load_group(const char* x, std::size_t i, std::size_t n, Vector (&v)[count]) {
        prefetch<count * elements * size>(x + i * size + prefetch_distance);
        for_each_of<count>([&](std::size_t k) {
            v[k] = count > 1 ? A::load_whole(x + (i + k * elements) * size) : at(x, i, n);
        });
    }

    template <std::size_t count>
    static SAMESUM_INLINE void put_group(void* out, std::size_t i, std::size_t n, const Vector (&v)[count]) {
        for_each_of<count>(
            [&](std::size_t k) { put(out, i + k * elements, count > 1 ? i + (k + 1) * elements : n, v[k]); });
    }

    // NaNs apart; -inf if there is nothing else.
    static SAMESUM_INLINE double greatest_of_line(const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        Vector most[A::together];
        for_each_of<A::together>(
            [&](std::size_t k) { most[k] = Vector{} - static_cast<typename A::Scalar>(infinity); });
        for_each_group(0, n, [&](auto count, std::size_t i, std::size_t) {
            Vector v[count];
            load_group(p, i, n, v);
            for_each_of<count>([&](std::size_t k) { most[k] = greater(v[k], most[k]); });
        });
        for (std::size_t k = 1; k < A::together; ++k) most[0] = greater(most[k], most[0]);
        return greatest_of(most[0])[0];
    }

    // Of elements equal to the greatest no power is added.
    static SAMESUM_INLINE void count_instead(Vector v, Vector most, Power& p, Mask& equal) {
        const Mask same = v == most;
        equal -= same;
        p.root = same ? Vector{} : p.root;
    }

    // `keep` gets the number of each vector and its powers; in the logarithm the greatest elements are
    // counted instead of added.
    template <bool log, class Keep>
    static SAMESUM_INLINE LineShare share_of(const char* x, std::size_t n, double greatest, Keep keep) {
        LaneSum lane[parts] = {};
        Mask equal = {};
        const Vector most = subtrahend(greatest);
        for (std::size_t start = 0; start < n; start += stretch) {
            const std::size_t end = n - start < stretch ? n : start + stretch;
            for_each_group(start, end, [&](auto count, std::size_t i, std::size_t first) {
                Vector v[count];
                Power p[count];
                load_group(x, i, n, v);
                A::powers(v, most, p);
                for_each_of<count>([&](std::size_t k) {
                    if constexpr (log) count_instead(v[k], most, p[k], equal);
                    lane[(first + k) % parts].add(p[k]);
                    keep(i / elements + k, p[k]);
                });
            });
            for (LaneSum& l : lane) l.settle();
        }
        for (std::size_t half = parts / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) lane[k].join(lane[k + half]);
        LineShare share = lane[0].across();
        share.most = greatest;
        if constexpr (log)
            for (std::size_t k = 0; k < elements; ++k) share.count += equal[k];
        return share;
    }

    template <bool log>
    static LineShare share_against(const void* from, std::size_t n, double most) {
        const char* x = static_cast<const char*>(from);
        return share_of<log>(x, n, most, [=](std::size_t k, const Power&) {
            prefetch_rows<1>(x + (n + k * elements) * size, 0, 64);  // the next block, or line
        });
    }

    template <bool log>
    static LineShare share(const void* x, std::size_t n) {
        const double most = greatest_of_line(x, n);
        return is_finite(most) ? share_against<log>(x, n, most) : LineShare{most};
    }

    static SAMESUM_INLINE bool is_finite(double v) { return samesum::magnitude(v) < infinity; }

    static LineShare joined(const LineShare* shares, std::size_t count, double most) {
        LineShare all{most};
        DoubleWord sum = {};
        for (std::size_t i = 0; i < count; ++i) {
            const LineShare& share = shares[i];
            const bool apart = share.most == most;
            if (apart) all.count += share.count;
            DoubleWord size, moved;
            two_sum(Doubles{} + (apart ? 0 : static_cast<double>(share.count) * A::unit),
                    Doubles{} + share.total, size.hi, size.lo);
            moved = product(ordered_sum(size.hi, size.lo + share.rest), scale_of(share.most, most));
            Doubles error;
            two_sum(sum.hi, moved.hi, sum.hi, error);
            sum.lo += moved.lo + error;
        }
        all.total = sum.hi[0];
        all.rest = sum.lo[0];
        return all;
    }

    // e^(from - to)
    static SAMESUM_INLINE DoubleWord scale_of(double from, double to) {
        Doubles difference, error;
        two_sum(Doubles{} + from, Doubles{} - to, difference, error);
        return exponential<68>(difference, error);
    }

    static void fill_with_nan(void* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, canonical_nan(A::format), size);
    }

    template <bool log>
    static void quotients(const void* from, std::size_t n, const LineShare& all, void* out) {
        const char* x = static_cast<const char*>(from);
        const Vector most = subtrahend(all.most);
        if constexpr (log) {
            const auto one = A::logarithm(all.count, A::same(all));
            for_each_group(0, n, [&](auto count, std::size_t i, std::size_t) {
                Vector v[count];
                load_group(x, i, n, v);
                for_each_of<count>([&](std::size_t k) { v[k] = A::log_quotient(v[k], most, one); });
                put_group(out, i, n, v);
            });
        } else {
            const auto inverse = A::Reciprocal::of(A::same(all));
            for_each_group(0, n, [&](auto count, std::size_t i, std::size_t) {
                Vector v[count];
                Power p[count];
                load_group(x, i, n, v);
                A::powers(v, most, p);
                inverse.times(p, v);
                put_group(out, i, n, v);
            });
        }
    }

    static void softmax_of_block(const char* x, std::size_t n, double most, void* out) {
        Power kept[line_block / elements];
        const LineShare all = share_of<false>(x, n, most, [&](std::size_t i, const Power& p) {
            prefetch_rows<1>(x + (n + i * elements) * size, 0, 64);
            kept[i] = p;
        });
        if (all.total != all.total) return fill_with_nan(out, n);
        const auto inverse = A::Reciprocal::of(A::same(all));
        for_each_group(0, n, [&](auto count, std::size_t i, std::size_t) {
            Vector v[count];
            Power p[count];
            for_each_of<count>([&](std::size_t k) { p[k] = kept[i / elements + k]; });
            inverse.times(p, v);
            put_group(out, i, n, v);
        });
    }

    template <bool log>
    static void line(const void* from, std::size_t n, void* out) {
        const char* x = static_cast<const char*>(from);
        const double most = greatest_of_line(x, n);
        if (!is_finite(most)) return fill_with_nan(out, n);
        if constexpr (!log) {
            softmax_of_block(x, n, most, out);
        } else {
            const LineShare all = share_against<true>(x, n, most);
            if (all.total != all.total) return fill_with_nan(out, n);
            quotients<true>(x, n, all, out);
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
