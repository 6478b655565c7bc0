// Softmax and its logarithm of one line. What is added is added in an order that the vectors' width does not
// change, nor whether lines are taken one by one or side by side.
#pragma once

#include "kernels/double_lines.hpp"

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

    static SAMESUM_INLINE double greatest_of_line(const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        Vector most = Vector{} - static_cast<typename A::Scalar>(infinity);
        for (std::size_t i = 0; i < n; i += elements) {
            const Vector v = at(p, i, n);
            prefetch<64>(p + i * size + prefetch_distance);
            most = v > most ? v : most;
        }
        return greatest_of(most)[0];
    }

    // The greatest element, NaNs apart; -inf if there is none.
    static double greatest(const void* x, std::size_t n) { return greatest_of_line(x, n); }

    // Of n <= line_block elements. `keep` gets the number of each vector and its powers; in the logarithm the
    // greatest elements are counted instead of added.
    template <bool log, class Keep>
    static SAMESUM_INLINE LineShare share_of(const char* x, std::size_t n, double greatest, Keep keep) {
        LaneSum lane[parts] = {};
        Mask equal = {};
        const Vector most = subtrahend(greatest);
        for (std::size_t i = 0; i < n;) {
            const std::size_t end = i + stretch < n ? i + stretch : n;
            for (; i < end; i += line_lanes) {
#pragma GCC unroll 8
                for (std::size_t k = 0; k < parts; ++k) {
                    if (parts > 1 && i + k * elements >= n) break;
                    const Vector v = at(x, i + k * elements, n);
                    Power p = A::power(v, most);
                    if constexpr (log) {
                        const Mask same = v == most;
                        equal -= same;
                        p.root = same ? Vector{} : p.root;
                    }
                    lane[k].add(p);
                    keep(i / elements + k, p);
                }
            }
            for (LaneSum& l : lane) l.settle();
        }
        for (std::size_t half = parts / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) lane[k].join(lane[k + half]);
        LineShare share = lane[0].across();
        if constexpr (log)
            for (std::size_t k = 0; k < elements; ++k) share.count += equal[k];
        return share;
    }

    template <bool log>
    static LineShare share(const void* x, std::size_t n, double most) {
        return share_of<log>(static_cast<const char*>(x), n, most, [](std::size_t, const Power&) {});
    }

    static void fill_with_nan(void* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, canonical_nan(A::format), size);
    }

    template <bool log>
    static void quotients(const void* from, std::size_t n, double greatest, const LineShare& all, void* out) {
        const char* x = static_cast<const char*>(from);
        const Vector most = subtrahend(greatest);
        if constexpr (log) {
            const auto one = A::logarithm(all.count, A::same(all));
            for (std::size_t i = 0; i < n; i += elements)
                put(out, i, n, A::log_quotient(at(x, i, n), most, one));
        } else {
            const auto inverse = A::Reciprocal::of(A::same(all));
            for (std::size_t i = 0; i < n; i += elements)
                put(out, i, n, inverse.times(A::power(at(x, i, n), most)));
        }
    }

    // Of n <= line_block elements.
    static void softmax_of_block(const char* x, std::size_t n, double most, void* out) {
        Power kept[line_block / elements];
        const LineShare all =
            share_of<false>(x, n, most, [&](std::size_t i, const Power& p) { kept[i] = p; });
        if (all.total != all.total) return fill_with_nan(out, n);
        const auto inverse = A::Reciprocal::of(A::same(all));
        for (std::size_t i = 0; i < n; i += elements) put(out, i, n, inverse.times(kept[i / elements]));
    }

    template <bool log>
    static void line(const void* from, std::size_t n, void* out) {
        const char* x = static_cast<const char*>(from);
        const double most = greatest_of_line(x, n);
        if (!(samesum::magnitude(most) < infinity)) return fill_with_nan(out, n);
        if (!log && n <= line_block) return softmax_of_block(x, n, most, out);
        LineShare all = {};
        for (std::size_t i = 0; i < n; i += line_block)
            all += share<log>(x + i * size, n - i < line_block ? n - i : line_block, most);
        if (all.total != all.total) return fill_with_nan(out, n);
        quotients<log>(x, n, most, all, out);
    }
};

}  // namespace samesum::SAMESUM_ISA
