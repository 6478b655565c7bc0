// Softmax and its logarithm of lines that lie along memory, a few at a time: while one waits for its sum the
// others' powers are computed.
#pragma once

#include <limits>

#include "kernels/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Rows {
    using Vector = typename A::Vector;
    using Power = typename A::Power;
    using L = Line<A>;
    using ManyGroups = typename L::ManyGroups;
    // Elements of the lines taken together: their powers stay in the first cache.
    static constexpr std::size_t kept_elements = 2048;

    const LineRows& lines;
    std::size_t first, count;
    bool expects_distant;  // lines that are not near zero, as those before

    SAMESUM_INLINE const char* x(std::size_t k) const {
        return lines.x + static_cast<std::ptrdiff_t>(first + k) * lines.in;
    }
    SAMESUM_INLINE char* out(std::size_t k) const {
        return lines.out + static_cast<std::ptrdiff_t>(first + k) * lines.to;
    }

    // From a line to the one that will be taken after all of these.
    SAMESUM_INLINE std::ptrdiff_t ahead() const { return static_cast<std::ptrdiff_t>(count) * lines.in; }

    template <class Groups>
    SAMESUM_INLINE void put_kept(std::size_t k, const typename A::Reciprocal& inverse,
                                 const Power* kept) const {
        char* const to = out(k);
        const std::size_t n = lines.n;
        Groups::each(0, n, [=](auto group, std::size_t i) SAMESUM_INLINED {
            Vector v[group];
            Power p[group];
            for_each_of<group>([&](std::size_t j) { p[j] = kept[i / A::elements + j]; });
            inverse.times(p, v);
            L::put_group(group, to, i, n, v);
        });
    }

    // What lines add up to, as many as a vector has elements.
    struct Shares {
        alignas(64) double total[A::elements], rest[A::elements], greatest[A::elements];
        typename A::Mask equal = {};

        SAMESUM_INLINE void put(std::size_t k, const typename L::Across& all) {
            store(total + k, all.total());
            store(rest + k, all.rest());
            store(greatest + k, all.most);
        }
        SAMESUM_INLINE auto totals() const { return A::totals(total, rest); }
        SAMESUM_INLINE Vector most() const { return A::vector_of(greatest); }
    };

    template <class AcrossOf>
    SAMESUM_INLINE void put_across(Shares& shares, AcrossOf across_of) const {
        for (std::size_t from = 0; from < A::elements; from += width) {
            typename L::Across row[width];
            for (std::size_t k = 0; k < width; ++k)
                row[k] = from + k < count ? across_of(from + k) : typename L::Across{};
            shares.put(from, folded_by_halves(row));
        }
    }

    // The powers of all lines as they are; if none is near zero, perhaps their greatest elements alone.
    template <bool log, class Groups, class SumOf>
    SAMESUM_INLINE void add_up(Shares& shares, SumOf sum_of) const {
        if (expects_distant) {
            put_across(shares, [&](std::size_t k) { return L::template greatest_of<Groups>(x(k), lines.n); });
            if (are_all(~L::template are_near<log>(shares.most(), lines.n))) return;
        }
        put_across(shares, [&](std::size_t k)
                               SAMESUM_INLINED { return sum_of(Groups{}, k, typename A::Near{}).across(); });
    }

    // Those of lines that are not near zero against their greatest elements.
    template <class SumOf>
    SAMESUM_INLINE void add_up_again(Shares& shares, typename A::Mask near, SumOf sum_of) const {
        for (std::size_t k = 0; k < count; ++k) {
            if (near[k] != 0) continue;
            LineShare found{std::numeric_limits<double>::quiet_NaN()};
            if (L::is_finite(shares.greatest[k]))
                found = sum_of(ManyGroups{}, k, L::below(shares.greatest[k])).share();
            shares.total[k] = found.total;
            shares.rest[k] = found.rest;
            shares.equal[k] = static_cast<decltype(shares.equal[k] + 0)>(found.count);
        }
    }

    bool are_all(typename A::Mask lines_that) const {
        for (std::size_t k = count; k < A::elements; ++k) lines_that[k] = -1;
        return !any(~lines_that);
    }

    // put(k) for lines that have results.
    template <class Put>
    SAMESUM_INLINE void put_lines(const Shares& shares, Put put) const {
        for (std::size_t k = 0; k < count; ++k) {
            if (shares.total[k] == shares.total[k])
                put(k);
            else
                L::fill_with_nan(out(k), lines.n);
        }
    }

    // True if no line is near zero.
    template <class Groups>
    bool run_softmax(Power* kept, std::size_t pitch) const {
        Shares shares;
        const auto sum_of = [&](auto groups, std::size_t k, const auto& against) SAMESUM_INLINED {
            const char* const later = x(k) + ahead();
            Power* const powers = kept + k * pitch;
            const auto keep = [=](std::size_t i, const Power& p) SAMESUM_INLINED {
                prefetch_rows<1>(later + i * A::elements * L::size, 0, 64);
                powers[i] = p;
            };
            return L::template sum_of<false, decltype(groups)>(x(k), lines.n, against, keep);
        };
        add_up<false, Groups>(shares, sum_of);
        const auto near = A::Near::holds(shares.most());
        if (!are_all(near)) add_up_again(shares, near, sum_of);
        const auto inverse = A::Reciprocal::of(shares.totals());
        put_lines(shares, [&](std::size_t k) { put_kept<Groups>(k, inverse.of_line(k), kept + k * pitch); });
        return are_all(~near);
    }

    template <class Groups>
    bool run_logarithm() const {
        Shares shares;
        const auto sum_of = [&](auto groups, std::size_t k, const auto& against) SAMESUM_INLINED {
            return L::template sum_asking<true, decltype(groups)>(x(k), lines.n, against, ahead());
        };
        add_up<true, Groups>(shares, sum_of);
        const auto logs = A::logarithm(typename A::Mask{}, shares.totals());
        const auto holds = L::template are_near<true>(shares.most(), lines.n),
                   near = holds & A::is_distant(logs, shares.most());
        if (are_all(near)) {
            put_lines(shares, [&](std::size_t k) {
                L::put_near_logarithms(x(k), lines.n, A::of_line(logs, k), out(k));
            });
            return false;
        }
        add_up_again(shares, near, sum_of);
        const auto below = A::Below::of(shares.most(), near);
        const auto distant_logs = A::logarithm(shares.equal, A::relative(shares.totals(), below));
        put_lines(shares, [&](std::size_t k) {
            if (near[k] != 0)
                L::put_near_logarithms(x(k), lines.n, A::of_line(logs, k), out(k));
            else
                L::put_logarithms(x(k), lines.n, L::same(shares.greatest[k]), A::of_line(distant_logs, k),
                                  out(k));
        });
        return are_all(~holds);
    }

    template <bool log, class Groups>
    static void run_by(const LineRows& lines) {
        constexpr std::size_t together = L::most_together * A::elements;
        Power kept[line_block / A::elements];
        const std::size_t vectors = (lines.n + together - 1) / together * L::most_together,
                          some =
                              std::clamp<std::size_t>(kept_elements / A::elements / vectors, 1, A::elements);
        bool distant = log && lines.n < least_near_logarithm;
        for (std::size_t first = 0; first < lines.count; first += some) {
            const Rows rows{lines, first, std::min(some, lines.count - first), distant};
            if constexpr (log)
                distant = rows.template run_logarithm<Groups>();
            else
                distant = rows.template run_softmax<Groups>(kept, vectors);
        }
    }

    // Lines of up to `most_together` vectors in one group of so many, where that is more than short lines
    // have.
    template <bool log, std::size_t vectors = 1>
    static void run(const LineRows& lines) {
        if constexpr (vectors > L::most_together || vector_bytes < 64)
            run_by<log, ManyGroups>(lines);
        else if (lines.n <= vectors * A::elements)
            run_by<log, typename L::template OneGroup<vectors>>(lines);
        else
            run<log, vectors + 1>(lines);
    }
};

}  // namespace samesum::SAMESUM_ISA
