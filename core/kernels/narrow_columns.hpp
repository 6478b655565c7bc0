// Softmax and its logarithm of neighbouring lines, an element of each in a vector; the same bits as those of
// one line.
#pragma once

#include "kernels/narrow_line.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct NarrowColumns {
    static constexpr bool precise = is_precise<F>;
    using Line = NarrowLine<F>;

    const LineColumns& lines;
    std::size_t first, count;  // of the lines, those that this vector takes
    Singles* const elements;   // of the lines; of softmax later the roots of their powers
    Singles* const growths;

    SAMESUM_INLINE Singles at(std::size_t i) const {
        return Line::at(lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + first * F::size, 0, count);
    }

    SAMESUM_INLINE void put(std::size_t i, Singles v) const {
        Line::put(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to + first * F::size, 0, count, v);
    }

    // The greatest elements, NaNs apart; the elements are copied on the way.
    Singles greatest() const {
        Singles most = Singles{} - __builtin_huge_valf();
        const std::ptrdiff_t ahead = 8 * lines.in;
        for (std::size_t i = 0; i < lines.n; ++i) {
            const Singles v = at(i);
            __builtin_prefetch(lines.x + static_cast<std::ptrdiff_t>(i) * lines.in + ahead);
            elements[i] = v;
            most = v > most ? v : most;
        }
        return subtrahend(most);
    }

    struct Shares {
        LaneSum<precise> lane[line_lanes];
        std::size_t used;
        SingleInts equal = {};

        // A lane without elements is zero and is left out.
        explicit Shares(std::size_t n) : used(n < line_lanes ? n : line_lanes) {}

        Halves total() {
            for (std::size_t half = line_lanes / 2; half > 0; half /= 2) {
                for (std::size_t k = 0; k < half && k + half < used; ++k) {
                    lane[k].all.low += lane[k + half].all.low;
                    lane[k].all.high += lane[k + half].all.high;
                }
                used = used < half ? used : half;
            }
            return lane[0].all;
        }
    };

    template <bool log>
    void share(Singles most, Shares& shares) const {
        for (std::size_t start = 0; start < lines.n; start += stretch) {
            const std::size_t end = start + stretch < lines.n ? start + stretch : lines.n;
            for (std::size_t k = 0; k < line_lanes && start + k < end; ++k) {
                LaneSum<precise> lane = shares.lane[k];
                for (std::size_t i = start + k; i < end; i += line_lanes) {
                    const Singles v = elements[i];
                    Power p = power_of<precise>(v, most);
                    if constexpr (log) {
                        const SingleInts same = v == most;
                        shares.equal -= same;
                        p.root = same ? Singles{} : p.root;
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
    void put_nan(Singles most, Halves total) const {
        const SingleInts none = {}, finite = (most - most == most - most) ? none - 1 : none;
        const Singles sum = narrowed(total);
        const SingleInts some = finite & (sum == sum);
        const Longs missing = reinterpret_cast<Longs>(~some);
        if (!any(missing | missing << 32)) return;
        for (std::size_t k = 0; k < count; ++k) {
            if (some[k] != 0) continue;
            for (std::size_t i = 0; i < lines.n; ++i)
                store_bits(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to, first + k,
                           canonical_nan(F::format), F::size);
        }
    }

    template <bool log>
    void run() const {
        const Singles most = greatest();
        Shares shares(lines.n);
        share<log>(most, shares);
        const Halves total = shares.total();
        if constexpr (log) {
            const Singles counts = __builtin_convertvector(shares.equal, Singles);
            const Halves c = widen(counts);
            const Halves one = {log_of(c.low, total.low), log_of(c.high, total.high)};
            for (std::size_t i = 0; i < lines.n; ++i) put(i, log_quotient<precise>(elements[i], most, one));
        } else {
            const auto inverse = Reciprocal<precise>::of(total);
            for (std::size_t i = 0; i < lines.n; ++i) put(i, inverse.times({elements[i], growths[i]}));
        }
        put_nan(most, total);
    }

    template <bool log>
    static void columns(const LineColumns& lines, void* room) {
        Singles* const elements = static_cast<Singles*>(room);
        for (std::size_t first = 0; first < lines.count; first += singles) {
            const std::size_t left = lines.count - first;
            NarrowColumns{lines, first, left < singles ? left : singles, elements, elements + lines.n}
                .template run<log>();
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
