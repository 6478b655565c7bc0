// Softmax and its logarithm of lines that lie along memory, a few at a time: while one waits for its sum the
// others' powers are computed.
#pragma once

#include <limits>
#include <memory>

#include "kernels/softmax/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Rows {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using L = Line<A>;
    using ManyGroups = typename L::ManyGroups;
    // Elements of the lines taken together: their powers stay in the first cache.
    static constexpr std::size_t kept_elements = 2048;

    const LineRows& lines;
    std::size_t first, count;
    bool expects_distant;  // lines that are not near zero, as among those before
    Power* const kept;     // of softmax: those of a line are `pitch` vectors from those of the one before
    std::size_t pitch;

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
        alignas(64) double total[A::elements], rest[A::elements], greatest[A::elements], equal[A::elements];

        SAMESUM_INLINE void put(std::size_t k, const typename L::Across& all) {
            store(total + k, all.total());
            store(rest + k, all.rest());
            store(greatest + k, all.most);
        }
        SAMESUM_INLINE void put(std::size_t k, const typename L::Counted& all) {
            store(total + k, all.across.total());
            store(rest + k, all.across.rest());
            store(equal + k, all.equal);
        }
        SAMESUM_INLINE auto totals() const { return A::totals(total, rest); }
        SAMESUM_INLINE Vector most() const { return A::vector_of(greatest); }
        // Of lines that are not near zero.
        SAMESUM_INLINE Mask counts(Mask near) const {
            return ~near & __builtin_convertvector(A::vector_of(equal), Mask);
        }
    };

    template <class AcrossOf>
    SAMESUM_INLINE void put_across(Shares& shares, AcrossOf across_of) const {
        for (std::size_t from = 0; from < A::elements; from += width) {
            decltype(across_of(from)) row[width];
            for (std::size_t k = 0; k < width; ++k)
                row[k] = from + k < count ? across_of(from + k) : decltype(across_of(from)){};
            shares.put(from, folded_by_halves(row));
        }
    }

    template <bool log, class Groups, class Against>
    SAMESUM_INLINE auto sum_of(std::size_t k, const Against& against) const {
        const char* const line = x(k);
        const std::ptrdiff_t step = ahead();
        if constexpr (log) {
            return L::template sum_asking<true, Groups>(line, lines.n, against, step);
        } else {
            Power* const powers = kept + k * pitch;
            return L::template sum_of<false, Groups>(
                line, lines.n, against, [=](std::size_t i, const Power& p) SAMESUM_INLINED {
                    prefetch_rows<1>(line + step + i * A::elements * L::size, 0, 64);
                    powers[i] = p;
                });
        }
    }

    // The powers of lines that are near zero, which are returned, as they are; those of others against their
    // greatest elements where some are expected, and else not yet.
    template <bool log, class Groups>
    SAMESUM_INLINE Mask add_up(Shares& shares) const {
        if (expects_distant) {
            put_across(shares, [&](std::size_t k) { return L::template greatest_of<Groups>(x(k), lines.n); });
            const Mask near = L::template are_near<log>(shares.most(), lines.n);
            if (!are_all(near)) {
                add_up_below<log, typename Groups::Again>(shares, near, Mask{});
                return near;
            }
        }
        put_across(shares, [&](std::size_t k) SAMESUM_INLINED {
            return sum_of<log, Groups>(k, typename A::Near{}).across();
        });
        return L::template are_near<log>(shares.most(), lines.n);
    }

    // Against their greatest elements unless they are near zero; those that are done stay as they are.
    template <bool log, class Groups>
    __attribute__((noinline)) void add_up_below(Shares& shares, Mask near, Mask done) const {
        Shares again;
        const typename A::Below below = A::Below::of(shares.most(), near);
        put_across(again, [&](std::size_t k) SAMESUM_INLINED {
            const bool waits = done[k] == 0 && L::is_finite(shares.greatest[k]);
            return waits ? sum_of<log, Groups>(k, below.of_line(k)).counted() : typename L::Counted{};
        });
        for (std::size_t k = 0; k < count; ++k) {
            if (done[k] != 0) continue;
            shares.total[k] =
                L::is_finite(shares.greatest[k]) ? again.total[k] : std::numeric_limits<double>::quiet_NaN();
            shares.rest[k] = again.rest[k];
            shares.equal[k] = again.equal[k];
        }
    }

    bool are_all(Mask lines_that) const {
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

    // True if some line is not near zero.
    template <class Groups>
    bool run_softmax() const {
        Shares shares;
        const Mask near = add_up<false, Groups>(shares);
        const bool are_near = are_all(near);
        if (!are_near && !expects_distant) add_up_below<false, typename Groups::Again>(shares, near, near);
        const auto inverse = A::Reciprocal::of(shares.totals());
        put_lines(shares, [&](std::size_t k) { put_kept<Groups>(k, inverse.of_line(k), kept + k * pitch); });
        return !are_near;
    }

    // Likewise.
    template <class Groups>
    bool run_logarithm() const {
        Shares shares;
        const Mask holds = add_up<true, Groups>(shares);
        Mask near = {};
        typename A::Logarithm logs = {};
        if (!are_all(~holds)) {
            logs = A::logarithm(Mask{}, shares.totals());
            near = holds & A::is_distant(logs, shares.most());
        }
        typename A::Logarithm distant_logs = {};
        if (!are_all(near)) {
            const Mask done = near | (expects_distant && !are_all(holds) ? ~holds : Mask{});
            if (!are_all(done)) add_up_below<true, typename Groups::Again>(shares, near, done);
            const auto below = A::Below::of(shares.most(), near);
            distant_logs = A::logarithm(shares.counts(near), A::relative(shares.totals(), below));
        }
        put_lines(shares, [&](std::size_t k) {
            if (near[k] != 0)
                L::template put_near_logarithms<Groups>(x(k), lines.n, A::of_line(logs, k), out(k));
            else
                L::template put_logarithms<Groups>(x(k), lines.n, L::same(shares.greatest[k]),
                                                   A::of_line(distant_logs, k), out(k));
        });
        return !are_all(holds);
    }

    template <bool log, class Groups>
    static void run_by(const LineRows& lines) {
        constexpr std::size_t together = L::most_together * A::elements;
        constexpr std::size_t few = kept_elements / A::elements;
        Power kept_here[few];
        const std::size_t vectors = (lines.n + together - 1) / together * L::most_together,
                          some = std::clamp<std::size_t>(few / vectors, 1, A::elements);
        // Threads may have little stack.
        std::unique_ptr<Power[]> elsewhere;
        if (!log && vectors > few) elsewhere = std::make_unique_for_overwrite<Power[]>(vectors);
        Power* const kept = elsewhere ? elsewhere.get() : kept_here;
        bool distant = log && lines.n < least_near_logarithm;
        for (std::size_t first = 0; first < lines.count; first += some) {
            const Rows rows{lines, first, std::min(some, lines.count - first), distant, kept, vectors};
            if constexpr (log)
                distant = rows.template run_logarithm<Groups>() || lines.n < least_near_logarithm;
            else
                distant = rows.template run_softmax<Groups>();
        }
    }

    // The least that were quicker than columns are: vectors of which seven tenths are in use, and for
    // logarithms of float64, of which each line needs two, one full group of lanes.
    template <bool log>
    static bool fill_rows(std::size_t n) {
        const std::size_t room = (n + A::elements - 1) / A::elements * A::elements;
        if (vector_bytes < 64) return false;
        return log ? L::parts > 1 && n == line_lanes : n >= 8 && 10 * n >= 7 * room;
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
