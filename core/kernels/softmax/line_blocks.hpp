// Softmax and its logarithm of a line too long to be kept, by its blocks.
#pragma once

#include "kernels/softmax/line.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
struct Blocks {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using Below = typename A::Below;
    using L = Line<A>;
    using ManyGroups = typename L::ManyGroups;

    static LineShare share(const void* x, std::size_t n) {
        return sum_of(x, n, typename A::Near{}, false).share();
    }

    static LineShare share_below(const void* x, std::size_t n, double greatest, bool log) {
        LineShare found = sum_of(x, n, L::below(greatest), log).share();
        found.greatest = greatest;
        return found;
    }

    // The next block is asked for.
    template <class Against>
    static auto sum_of(const void* x, std::size_t n, const Against& against, bool counts) {
        return L::template sum_apart<ManyGroups>(
            static_cast<const char*>(x), n, against,
            {counts ? Powers::counted : Powers::added, nullptr, static_cast<std::ptrdiff_t>(n * L::size)});
    }

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
        return all;
    }

    // The first one of the places.
    static SAMESUM_INLINE bool first_of(Mask mask) { return mask[0] != 0; }

    template <bool log>
    static bool is_near(const LineShare& all) {
        const Vector most = L::same(all.greatest);
        if (!first_of(A::Near::holds(most))) return false;
        return !log || first_of(A::is_distant(A::logarithm(0, A::same(all)), most));
    }

    template <bool log>
    static void quotients(const void* from, std::size_t n, const LineShare& all, void* out) {
        const char* x = static_cast<const char*>(from);
        const auto total = A::same(all);
        const Mask none = {};
        if constexpr (log) {
            if (all.is_near)
                return L::template put_near_logarithms<ManyGroups>(x, n, A::logarithm(0, total), out);
            const Below against = L::below(all.greatest);
            L::template put_logarithms<ManyGroups>(x, n, L::same(all.greatest),
                                                   A::logarithm(all.count, A::relative(total, against)), out);
        } else {
            const Below against = Below::of(L::same(all.greatest), all.is_near ? ~none : none);
            const auto inverse = A::Reciprocal::of(total);
            ManyGroups::each(0, n, [&](auto group, std::size_t i) SAMESUM_INLINED {
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

}  // namespace samesum::SAMESUM_ISA
