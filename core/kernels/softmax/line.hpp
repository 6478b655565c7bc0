// Softmax and its logarithm of one line. What is added is added in an order that the vectors' width does not
// change, nor whether lines are taken one by one or side by side.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/exponentials/exponential.hpp"
#include "kernels/softmax/double_lines.hpp"
#include "kernels/vectors/partial.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of a block are added to as many totals, by their index, which are joined by halves.
constexpr std::size_t line_lanes = 16;
// Terms of a lane that are added up before they join its total: what floats lose of each is 2^-30 of the
// greatest, for four of them less than 0.05 of a last place.
constexpr std::size_t lane_terms = 4;
constexpr std::size_t stretch = line_lanes * lane_terms;
static_assert(line_block % stretch == 0);

template <class A>
struct Line {
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;
    using Power = typename A::Power;
    using LaneSum = typename A::LaneSum;
    using Below = typename A::Below;
    using Across = typename A::Across;
    using Logarithm = typename A::Logarithm;
    static constexpr std::size_t elements = A::elements, size = size_of(A::format),
                                 parts = line_lanes / elements;

    static SAMESUM_INLINE Vector same(double v) { return Vector{} + static_cast<typename A::Scalar>(v); }

    // Vectors taken together, whose last ones may be less than whole.
    template <std::size_t vectors, bool whole>
    struct Group : std::integral_constant<std::size_t, vectors> {
        static constexpr bool is_whole = whole;

        // Elements of vector k.
        static SAMESUM_INLINE std::size_t left(std::size_t i, std::size_t n, std::size_t k) {
            const std::size_t at = i + k * elements;
            return n > at ? std::min(n - at, elements) : 0;
        }
    };

    static constexpr std::size_t most_together = A::together,
                                 few_together = std::max<std::size_t>(most_together / 2, parts);
    static_assert(stretch % (most_together * elements) == 0 && most_together % parts == 0 &&
                  few_together % parts == 0);

    // How the vectors of a line are taken: take(group, i) from element i on.
    struct ManyGroups {
        template <class Take>
        static SAMESUM_INLINE void each(std::size_t first, std::size_t last, Take take) {
            std::size_t i = first;
            for (; last - i >= most_together * elements; i += most_together * elements)
                take(Group<most_together, true>{}, i);
            if (i == last) return;
            if (last - i > few_together * elements)
                take(Group<most_together, false>{}, i);
            else
                take(Group<few_together, false>{}, i);
        }
    };
    template <std::size_t vectors>
    struct OneGroup {
        template <class Take>
        static SAMESUM_INLINE void each(std::size_t first, std::size_t, Take take) {
            take(Group<vectors, false>{}, first);
        }
    };

    // -inf stands for elements that are missing.
    template <class G>
    static SAMESUM_INLINE void load_group(G group, const char* x, std::size_t i, std::size_t n,
                                          Vector (&v)[G::value]) {
        prefetch_run<group * elements * size>(x + i * size);
        for_each_of<group>([&](std::size_t k) {
            const char* const p = x + (i + k * elements) * size;
            v[k] = G::is_whole ? A::load_whole(p) : A::load_part(p, group.left(i, n, k));
        });
    }

    template <class G>
    static SAMESUM_INLINE void put_group(G group, void* out, std::size_t i, std::size_t n,
                                         const Vector (&v)[G::value]) {
        for_each_of<group>([&](std::size_t k) {
            char* const p = static_cast<char*>(out) + (i + k * elements) * size;
            A::store_part(p, v[k], G::is_whole ? elements : group.left(i, n, k));
        });
    }

    // Of elements equal to the greatest, and of -inf, no power is added.
    static SAMESUM_INLINE void count_instead(Vector v, const Below& against, Power& p, Mask& equal) {
        const Mask same = v == against.greatest;
        equal -= same;
        p.root = same | (v == against.nothing()) ? Vector{} : p.root;
    }

    // Of the logarithm perhaps not all of these.
    template <bool log>
    static SAMESUM_INLINE Mask are_near(Vector most, std::size_t n) {
        return log && n < least_near_logarithm ? Mask{} : A::Near::holds(most);
    }

    // What the elements of vectors add up to, and how many were counted instead.
    struct Counted {
        Across across;
        Doubles equal;

        template <int distance>
        SAMESUM_INLINE Counted paired(const Counted& other) const {
            return {across.template paired<distance>(other.across),
                    paired_low<distance>(equal, other.equal) + paired_high<distance>(equal, other.equal)};
        }
    };

    // Of the elements of a vector, by their index.
    struct Sum {
        LaneSum lane;
        Vector most;
        Mask equal;

        SAMESUM_INLINE Across across() const { return Across::of(lane, most); }
        SAMESUM_INLINE Counted counted() const { return {Across::of(lane, most), A::counts(equal)}; }
        SAMESUM_INLINE LineShare share() const {
            const Across all = folded_alone(across());
            LineShare found{all.total()[0], all.rest()[0], all.most[0], 0};
            for (std::size_t k = 0; k < elements; ++k) found.count += equal[k];
            return found;
        }
    };

    // `keep` gets the number of each vector and its powers. Against nothing but zero, the greatest element is
    // found, NaNs apart; against the greatest, those equal to it are counted for the logarithm.
    template <bool log, class Groups, class Against, class Keep>
    static SAMESUM_INLINE Sum sum_of(const char* x, std::size_t n, const Against& against, Keep keep) {
        LaneSum lane[parts];
        for (LaneSum& l : lane) l.begin();
        Mask equal = {};
        Vector most = same(-infinity);
        for (std::size_t start = 0; start < n; start += stretch) {
            const std::size_t end = n - start < stretch ? n : start + stretch;
            Groups::each(start, end, [&](auto group, std::size_t i) SAMESUM_INLINED {
                Vector v[group];
                Power p[group];
                load_group(group, x, i, n, v);
                A::powers(v, against, p);
                for_each_of<group>([&](std::size_t k) {
                    if (!group.is_whole) p[k].root = first_ones(group.left(i, n, k), p[k].root);
                    if constexpr (Against::is_near) most = greater(v[k], most);
                    if constexpr (log && !Against::is_near) count_instead(v[k], against, p[k], equal);
                    lane[k % parts].add(p[k]);
                    keep(i / elements + k, p[k]);
                });
            });
            for (LaneSum& l : lane) l.settle();
            if constexpr (!std::is_same_v<Groups, ManyGroups>) break;
        }
        for (std::size_t half = parts / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) lane[k].join(lane[k + half]);
        return {lane[0], most, equal};
    }

    // The greatest element, NaNs apart.
    template <class Groups>
    static SAMESUM_INLINE Across greatest_of(const char* x, std::size_t n) {
        Vector most = same(-infinity);
        Groups::each(0, n, [&](auto group, std::size_t i) SAMESUM_INLINED {
            Vector v[group];
            load_group(group, x, i, n, v);
            for_each_of<group>([&](std::size_t k) { most = greater(v[k], most); });
        });
        return Across::of(LaneSum{}, most);
    }

    // Asks for what lies so many bytes ahead.
    template <bool log, class Groups, class Against>
    static SAMESUM_INLINE Sum sum_asking(const char* x, std::size_t n, const Against& against,
                                         std::ptrdiff_t ahead) {
        return sum_of<log, Groups>(x, n, against, [=](std::size_t k, const Power&) {
            prefetch_rows<1>(x + ahead + k * elements * size, 0, 64);
        });
    }

    static SAMESUM_INLINE Below below(double greatest) { return Below::of(same(greatest), Mask{}); }

    static SAMESUM_INLINE bool is_finite(double v) { return samesum::magnitude(v) < infinity; }

    static void fill_with_nan(void* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, canonical_nan(A::format), size);
    }

    template <class Groups>
    static SAMESUM_INLINE void put_near_logarithms(const char* x, std::size_t n, const Logarithm& log,
                                                   void* out) {
        put_each<Groups>(x, n, out, [&](Vector v) { return A::near_quotient(v, log); });
    }
    template <class Groups>
    static SAMESUM_INLINE void put_logarithms(const char* x, std::size_t n, Vector origin,
                                              const Logarithm& log, void* out) {
        put_each<Groups>(
            x, n, out, [&, from = unsigned_zero(origin)](Vector v) { return A::log_quotient(v, from, log); });
    }

    template <class Groups, class Result>
    static SAMESUM_INLINE void put_each(const char* x, std::size_t n, void* out, Result result) {
        Groups::each(0, n, [=](auto group, std::size_t i) SAMESUM_INLINED {
            Vector v[group];
            load_group(group, x, i, n, v);
            for_each_of<group>([&](std::size_t k) { v[k] = result(v[k]); });
            put_group(group, out, i, n, v);
        });
    }

    // So that origin - x is +0 for zeros of either sign.
    static SAMESUM_INLINE Vector unsigned_zero(Vector origin) { return origin == 0 ? Vector{} : origin; }
};

}  // namespace samesum::SAMESUM_ISA
