// Softmax and its logarithm of lines that lie along memory, a few at a time: while one waits for its sum the
// others' powers are computed.
#pragma once

#include <limits>
#include <memory>

#include "kernels/softmax/line.hpp"
#include "kernels/softmax/steps.hpp"

namespace samesum::SAMESUM_ISA {

// Softmax and its logarithm of a line too long to be kept, by its blocks.

template <class A>
struct Blocks {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using Below = typename A::Below;
    using L = Line<A>;

    // As they are, or against the line's greatest element.
    template <bool log>
    static LineShare share(const void* x, std::size_t n, const double* greatest) {
        if (greatest == nullptr) return sum_of(x, n, typename A::Near{}, Powers::added).share();
        LineShare found = sum_of(x, n, L::below(*greatest), log ? Powers::counted : Powers::added).share();
        found.greatest = *greatest;
        return found;
    }

    // The next block is asked for.
    template <class Against>
    static auto sum_of(const void* x, std::size_t n, const Against& against, Powers use) {
        return L::sum_apart(static_cast<const char*>(x), n, against,
                            {use, nullptr, static_cast<std::ptrdiff_t>(n * L::size)});
    }

    // Of blocks as they are, or against a greatest element that is not near zero.
    template <bool log>
    static LineShare joined(const LineShare* shares, std::size_t count) {
        LineShare all = shares[0];
        for (std::size_t i = 1; i < count; ++i) {
            Doubles sum, error;
            two_sum(Doubles{} + all.total, Doubles{} + shares[i].total, sum, error);
            all.total = sum[0];
            all.rest += shares[i].rest + error[0];
            all.greatest = std::max(all.greatest, shares[i].greatest);
            all.count += shares[i].count;
        }
        const Vector most = L::same(all.greatest);
        all.is_near = first_of(A::Near::holds(most));
        if constexpr (log)
            all.is_near = all.is_near && first_of(A::is_distant(A::logarithm(0, A::same(all)), most));
        return all;
    }

    // The first one of the places.
    static SAMESUM_INLINE bool first_of(Mask mask) { return mask[0] != 0; }

    template <bool log>
    static void quotients(const void* from, std::size_t n, const LineShare& all, void* out) {
        const char* x = static_cast<const char*>(from);
        const auto total = A::same(all);
        const Mask none = {};
        if constexpr (log) {
            if (all.is_near) return L::put_near_logarithms(x, n, A::logarithm(0, total), out);
            const Below against = L::below(all.greatest);
            L::put_logarithms(x, n, L::same(all.greatest),
                              A::logarithm(all.count, A::relative(total, against)), out);
        } else {
            const Below against = Below::of(L::same(all.greatest), all.is_near ? ~none : none);
            const auto inverse = A::Reciprocal::of(total);
            L::each_group(0, n, [&](auto group, std::size_t i) SAMESUM_INLINED {
                Vector v[group];
                Power p[group];
                L::load_group(group, x, i, n, v);
                A::powers(v, against, p);
                inverse.times(p, v);
                L::put_group(group, out, i, n, v);
            });
        }
    }
};

// What lines add up to, as many as a vector has elements.
template <class Sums>
struct LineShares {
    using Across = typename Sums::Across;
    alignas(64) double total[Sums::elements], rest[Sums::elements], greatest[Sums::elements],
        equal[Sums::elements];

    // What each line adds up to: lines beside each other are folded together.
    template <class State>
    using Each = State[Sums::elements / width][width];

    SAMESUM_INLINE void put(Each<Across>& each) {
        for (std::size_t k = 0; k < Sums::elements; k += width) {
            const Across all = folded_by_halves(each[k / width]);
            store(total + k, all.total());
            store(rest + k, all.rest());
            store(greatest + k, all.most);
        }
    }
    SAMESUM_APART void put(Each<Counted<Across>>& each) {
        for (std::size_t k = 0; k < Sums::elements; k += width) {
            const Counted<Across> all = folded_by_halves(each[k / width]);
            store(total + k, all.across.total());
            store(rest + k, all.across.rest());
            store(equal + k, all.equal);
        }
    }
};

template <class A>
struct Rows {
    using Arithmetic = A;
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using L = Line<A>;
    using Across = typename A::Across;
    using Shares = LineShares<typename A::Sums>;
    // Elements of the lines taken together: their powers stay in the first cache.
    static constexpr std::size_t kept_elements = 2048;

    const LineRows& lines;
    std::size_t first, count;
    bool expects_distant;  // lines that are not near zero, as among those before
    Power* kept;           // of softmax: those of a line are `pitch` vectors from those of the one before
    std::size_t pitch;
    Shares& shares;

    std::size_t length() const { return lines.n; }
    SAMESUM_INLINE auto total() const { return A::totals(shares.total, shares.rest); }
    SAMESUM_INLINE Vector most() const { return A::vector_of(shares.greatest); }
    // Of lines that are not near zero.
    SAMESUM_INLINE Mask counts() const { return __builtin_convertvector(A::vector_of(shares.equal), Mask); }

    bool are_all(Mask lines_that) const {
        for (std::size_t k = count; k < A::elements; ++k) lines_that[k] = -1;
        return !any(~lines_that);
    }

    SAMESUM_INLINE const char* x(std::size_t k) const {
        return lines.x + static_cast<std::ptrdiff_t>(first + k) * lines.in;
    }
    SAMESUM_INLINE char* out(std::size_t k) const {
        return lines.out + static_cast<std::ptrdiff_t>(first + k) * lines.to;
    }

    template <class State>
    using Each = typename Shares::template Each<State>;
    template <class State, class StateOf>
    SAMESUM_INLINE void fill(Each<State>& each, StateOf state_of) const {
        for (std::size_t k = 0; k < A::elements; ++k)
            each[k / width][k % width] = k < count ? state_of(k) : State{};
    }

    // The line that is asked for will be taken after all of these.
    SAMESUM_INLINE typename L::Way way(std::size_t k, bool log) const {
        return {log ? Powers::counted : Powers::kept, kept + k * pitch,
                static_cast<std::ptrdiff_t>(count) * lines.in};
    }

    SAMESUM_APART void find_greatest() const {
        Each<Across> each;
        fill<Across>(each, [&](std::size_t k) { return L::greatest_of(x(k), lines.n); });
        shares.put(each);
    }

    template <bool log>
    SAMESUM_INLINE void add_near() const {
        Each<Across> each;
        fill<Across>(each, [&](std::size_t k) SAMESUM_INLINED {
            return L::sum_by(x(k), lines.n, typename A::Near{}, way(k, log)).across();
        });
        shares.put(each);
    }

    // Against their greatest elements unless they are near zero; those that are done stay as they are.
    template <bool log>
    SAMESUM_APART void add_below(Mask near, Mask done) const {
        Shares again;
        Each<Counted<Across>> each;
        const typename A::Below below = A::Below::of(most(), near);
        fill<Counted<Across>>(each, [&](std::size_t k) SAMESUM_INLINED {
            const bool waits = done[k] == 0 && L::is_finite(shares.greatest[k]);
            return waits ? L::sum_apart(x(k), lines.n, below.of_line(k), way(k, log)).counted()
                         : Counted<Across>{};
        });
        again.put(each);
        for (std::size_t k = 0; k < count; ++k) {
            if (done[k] != 0) continue;
            shares.total[k] =
                L::is_finite(shares.greatest[k]) ? again.total[k] : std::numeric_limits<double>::quiet_NaN();
            shares.rest[k] = again.rest[k];
            shares.equal[k] = again.equal[k];
        }
    }

    // put_line(k) for lines that have results.
    template <class Put>
    SAMESUM_INLINE void put_lines(Put put_line) const {
        for (std::size_t k = 0; k < count; ++k) {
            if (shares.total[k] == shares.total[k])
                put_line(k);
            else
                L::fill_with_nan(out(k), lines.n);
        }
    }

    SAMESUM_INLINE void put(const Quotients<A, false>& quotients) const {
        put_lines([&](std::size_t k)
                      SAMESUM_INLINED { put_kept(k, quotients.inverse.of_line(k), kept + k * pitch); });
    }
    SAMESUM_INLINE void put_kept(std::size_t k, const typename A::Reciprocal& inverse,
                                 const Power* powers) const {
        char* const to = out(k);
        const std::size_t n = lines.n;
        L::each_group(0, n, [=](auto group, std::size_t i) SAMESUM_INLINED {
            Vector v[group];
            Power p[group];
            for_each_of<group>([&](std::size_t j) { p[j] = powers[i / A::elements + j]; });
            inverse.times(p, v);
            L::put_group(group, to, i, n, v);
        });
    }

    SAMESUM_INLINE void put(const Quotients<A, true>& quotients) const {
        put_lines([&](std::size_t k) SAMESUM_INLINED {
            if (quotients.near.mask[k] != 0)
                L::put_near_logarithms(x(k), lines.n, A::of_line(quotients.near_logs, k), out(k));
            else
                L::put_logarithms(x(k), lines.n, L::same(shares.greatest[k]), A::of_line(quotients.logs, k),
                                  out(k));
        });
    }

    template <bool log>
    static void run(const LineRows& lines) {
        constexpr std::size_t together = L::most_together * A::elements;
        constexpr std::size_t few = kept_elements / A::elements;
        Power kept_here[few];
        const std::size_t vectors = (lines.n + together - 1) / together * L::most_together,
                          some = std::clamp<std::size_t>(few / vectors, 1, A::elements);
        // Threads may have little stack.
        std::unique_ptr<Power[]> elsewhere;
        if (!log && vectors > few) elsewhere = std::make_unique_for_overwrite<Power[]>(vectors);
        Power* const kept = elsewhere ? elsewhere.get() : kept_here;
        const bool is_short = log && lines.n < least_near_logarithm;
        bool distant = is_short;
        Shares shares;
        for (std::size_t first = 0; first < lines.count; first += some) {
            Steps<Rows, log> steps(
                {lines, first, std::min(some, lines.count - first), distant, kept, vectors, shares});
            steps.run();
            distant = is_short || !steps.near.all;
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
};

}  // namespace samesum::SAMESUM_ISA
