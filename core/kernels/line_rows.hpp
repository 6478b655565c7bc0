// Softmax and its logarithm of lines that lie along memory, a few at a time: while one waits for its sum the
// others' powers are computed.
#pragma once

#include "kernels/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Rows {
    using Vector = typename A::Vector;
    using Power = typename A::Power;
    using L = Line<A>;
    // Elements of the lines taken together: their powers stay in the first cache.
    static constexpr std::size_t kept_elements = 2048;

    const LineRows& lines;
    std::size_t first, count;

    SAMESUM_INLINE const char* x(std::size_t k) const {
        return lines.x + static_cast<std::ptrdiff_t>(first + k) * lines.in;
    }
    SAMESUM_INLINE char* out(std::size_t k) const {
        return lines.out + static_cast<std::ptrdiff_t>(first + k) * lines.to;
    }

    // Powers of line k, which are kept, and the next line asked for.
    template <class Against>
    SAMESUM_INLINE LineShare keep(std::size_t k, const Against& against, Power* kept) const {
        const char* const ahead = x(k) + static_cast<std::ptrdiff_t>(count) * lines.in;
        return L::template share_of<false>(x(k), lines.n, against, [=](std::size_t i, const Power& p) {
            prefetch_rows<1>(ahead + i * A::elements * L::size, 0, 64);
            kept[i] = p;
        });
    }

    SAMESUM_INLINE void put_kept(std::size_t k, const typename A::Reciprocal& inverse, const Power* kept) const {
        L::for_each_group(0, lines.n, [&](auto some, std::size_t i, std::size_t) {
            Vector v[some];
            Power p[some];
            for_each_of<some>([&](std::size_t j) { p[j] = kept[i / A::elements + j]; });
            inverse.times(p, v);
            L::put_group(out(k), i, lines.n, v);
        });
    }

    // What lines add up to, as many as a vector has elements.
    struct Shares {
        alignas(64) double total[A::elements] = {}, rest[A::elements] = {};
        alignas(64) typename A::Scalar greatest[A::elements] = {};

        SAMESUM_INLINE void put(std::size_t k, const LineShare& share) {
            total[k] = share.total;
            rest[k] = share.rest;
            greatest[k] = static_cast<typename A::Scalar>(share.greatest);
        }
    };

    void run_softmax(Power* kept, std::size_t pitch) const {
        Shares shares;
        for (std::size_t k = 0; k < count; ++k)
            shares.put(k, keep(k, typename A::Near{}, kept + k * pitch));
        const auto totals = A::totals(shares.total, shares.rest);
        const auto near = A::is_near(totals);
        const auto inverse = A::Reciprocal::of(totals);
        for (std::size_t k = 0; k < count; ++k) {
            if (near[k] != 0) put_kept(k, inverse.of_line(k), kept + k * pitch);
        }
        for (std::size_t k = 0; k < count; ++k) {
            if (near[k] == 0) run_distant_softmax(k, kept);
        }
    }

    void run_distant_softmax(std::size_t k, Power* kept) const {
        const double most = L::greatest(x(k), lines.n);
        if (!L::is_finite(most)) return L::fill_with_nan(out(k), lines.n);
        const LineShare share = keep(k, L::below(most), kept);
        if (share.total != share.total) return L::fill_with_nan(out(k), lines.n);
        put_kept(k, A::Reciprocal::of(A::same(share)), kept);
    }

    void run_logarithm() const {
        Shares shares;
        for (std::size_t k = 0; k < count; ++k) {
            const char* const ahead = x(k) + static_cast<std::ptrdiff_t>(count) * lines.in;
            const auto ask = [=](std::size_t i, const Power&) {
                prefetch_rows<1>(ahead + i * A::elements * L::size, 0, 64);
            };
            shares.put(k, L::template share_of<true>(x(k), lines.n, typename A::Near{}, ask));
        }
        const auto totals = A::totals(shares.total, shares.rest);
        const auto logs = A::logarithm(typename A::Mask{}, totals);
        const auto near = A::is_near(totals) & A::is_distant(logs, load<Vector>(shares.greatest));
        for (std::size_t k = 0; k < count; ++k) {
            if (near[k] != 0)
                L::put_logarithms(x(k), lines.n, Vector{}, A::of_line(logs, k), out(k));
            else
                run_next_to_zero(k, static_cast<double>(shares.greatest[k]));
        }
    }

    void run_next_to_zero(std::size_t k, double most) const {
        if (!L::is_finite(most)) return L::fill_with_nan(out(k), lines.n);
        const LineShare share = L::template share_below<true>(x(k), lines.n, most);
        if (share.total != share.total) return L::fill_with_nan(out(k), lines.n);
        L::template quotients<true>(x(k), lines.n, share, out(k));
    }

    template <bool log>
    static void run(const LineRows& lines) {
        Power kept[line_block / A::elements];
        const std::size_t vectors = (lines.n + A::elements - 1) / A::elements,
                          some = std::clamp<std::size_t>(kept_elements / A::elements / vectors, 1, A::elements);
        for (std::size_t first = 0; first < lines.count; first += some) {
            const Rows rows{lines, first, std::min(some, lines.count - first)};
            if constexpr (log)
                rows.run_logarithm();
            else
                rows.run_softmax(kept, vectors);
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
