// Softmax and its logarithm of neighbouring lines, an element of each in a vector; the same bits as those of
// one line.
#pragma once

#include "kernels/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Columns {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using LaneSum = typename A::LaneSum;

    const LineColumns& lines;
    std::size_t first, count;  // of the lines, those that this vector takes
    Vector* const elements;    // of the lines; of softmax later the roots of their powers
    Vector* const growths;

    SAMESUM_INLINE Vector at(std::size_t i) const {
        return Line<A>::at(lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + first * Line<A>::size, 0,
                           count);
    }

    SAMESUM_INLINE void put(std::size_t i, Vector v) const {
        Line<A>::put(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to + first * Line<A>::size, 0, count,
                     v);
    }

    // The greatest elements, NaNs apart; the elements are copied on the way.
    Vector greatest() const {
        Vector most = Vector{} - static_cast<typename A::Scalar>(infinity);
        const std::ptrdiff_t ahead = 8 * lines.in;
        for (std::size_t i = 0; i < lines.n; ++i) {
            const Vector v = at(i);
            if (i + 8 < lines.n)
                __builtin_prefetch(lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + ahead);
            elements[i] = v;
            most = v > most ? v : most;
        }
        return Line<A>::subtrahend(most);
    }

    struct Shares {
        LaneSum lane[line_lanes];  // only those in use are set
        std::size_t used;
        Mask equal = {};

        explicit Shares(std::size_t n) : used(n < line_lanes ? n : line_lanes) {}

        typename A::Total total() {
            for (std::size_t half = line_lanes / 2; half > 0; half /= 2) {
                for (std::size_t k = 0; k < half && k + half < used; ++k) lane[k].join(lane[k + half]);
                used = used < half ? used : half;
            }
            return lane[0].total();
        }
    };

    template <bool log>
    void share(Vector most, Shares& shares) const {
        for (std::size_t start = 0; start < lines.n; start += stretch) {
            const std::size_t end = start + stretch < lines.n ? start + stretch : lines.n;
            for (std::size_t k = 0; k < line_lanes && start + k < end; ++k) {
                LaneSum lane = start == 0 ? LaneSum{} : shares.lane[k];
                for (std::size_t i = start + k; i < end; i += line_lanes) {
                    const Vector v = elements[i];
                    Power p = A::power(v, most);
                    if constexpr (log) {
                        const Mask same = v == most;
                        shares.equal -= same;
                        p.root = same ? Vector{} : p.root;
                    } else {
                        elements[i] = p.root;
                        growths[i] = p.growth;
                    }
                    lane.add(p);
                }
                lane.settle();
                shares.lane[k] = lane;
            }
        }
    }

    // Lines without a result.
    void put_nan(Vector most, const typename A::Total& total) const {
        const Mask none = {}, finite = (most - most == most - most) ? none - 1 : none;
        const Mask some = finite & A::is_number(total);
        if (!any(~some)) return;
        for (std::size_t k = 0; k < count; ++k) {
            if (some[k] != 0) continue;
            for (std::size_t i = 0; i < lines.n; ++i)
                store_bits(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to, first + k,
                           canonical_nan(A::format), Line<A>::size);
        }
    }

    template <bool log>
    void run() const {
        const Vector most = greatest();
        Shares shares(lines.n);
        share<log>(most, shares);
        const auto total = shares.total();
        if constexpr (log) {
            const auto one = A::logarithm(shares.equal, total);
            for (std::size_t i = 0; i < lines.n; ++i) put(i, A::log_quotient(elements[i], most, one));
        } else {
            const auto inverse = A::Reciprocal::of(total);
            for (std::size_t i = 0; i < lines.n; ++i) put(i, inverse.times({elements[i], growths[i]}));
        }
        put_nan(most, total);
    }

    template <bool log>
    static void columns(const LineColumns& lines, void* room) {
        Vector* const elements = static_cast<Vector*>(room);
        for (std::size_t first = 0; first < lines.count; first += A::elements) {
            const std::size_t left = lines.count - first;
            Columns{lines, first, left < A::elements ? left : A::elements, elements, elements + lines.n}
                .template run<log>();
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
