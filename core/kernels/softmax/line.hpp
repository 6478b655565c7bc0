// Softmax and its logarithm of one line. What is added is added in an order that the vectors' width does not
// change, nor whether lines are taken one by one or side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/exponentials/exponential.hpp"
#include "kernels/softmax/double_lines.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// What neighbouring lines add up to, an element of each in a vector.

// Elements of a block are added to as many totals, by their index, which are joined by halves.
constexpr std::size_t line_lanes = 16;
// Terms of a lane that are added up before they join its total: what floats lose of each is 2^-30 of the
// greatest, for four of them less than 0.05 of a last place.
constexpr std::size_t lane_terms = 4;
constexpr std::size_t stretch = line_lanes * lane_terms;

// What becomes of powers besides their total: those of softmax are kept; for its logarithm, of elements equal
// to the greatest and of -inf no power is added.
enum class Powers { added, kept, counted };

template <class Vector, class Below, class Power, class Mask>
SAMESUM_INLINE void count_instead(Vector v, const Below& against, Power& p, Mask& equal) {
    const Mask same = v == against.greatest;
    equal -= same;
    p.root = same | (v == against.nothing()) ? Vector{} : p.root;
}

// `Sums` are SingleLineSums or DoubleLines: formats that are computed alike share the code.
template <class Sums>
class ColumnShares {
    using Vector = typename Sums::Vector;
    using Power = typename Sums::Power;
    using LaneSum = typename Sums::LaneSum;

  public:
    typename Sums::Mask equal = {};

    // Of n elements of each line; of softmax roots and growths of their powers take their places.
    ColumnShares(std::size_t n, Vector* elements, Vector* growths)
        : n_(n), elements_(elements), growths_(growths) {}

    // Four powers at a time are under way together.
    template <class Against>
    SAMESUM_APART typename Sums::Total take(const Against& against, Powers use) {
        const std::size_t used = n_ < line_lanes ? n_ : line_lanes;
        for (std::size_t k = 0; k < used; ++k) lane_[k].begin();
        for (std::size_t start = 0; start < n_; start += stretch) {
            const std::size_t end = n_ - start < stretch ? n_ : start + stretch;
            std::size_t i = start;
            for (; i + lane_terms <= end; i += lane_terms) take_some<lane_terms>(i, against, use);
            for (; i < end; ++i) take_some<1>(i, against, use);
            for (std::size_t k = 0; k < used; ++k) lane_[k].settle();
        }
        return total(used);
    }

  private:
    SAMESUM_INLINE typename Sums::Total total(std::size_t used) {
        for (std::size_t half = line_lanes / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half && k + half < used; ++k) lane_[k].join(lane_[k + half]);
            used = used < half ? used : half;
        }
        return lane_[0].total();
    }

    template <std::size_t some, class Against>
    SAMESUM_INLINE void take_some(std::size_t i, const Against& against, Powers use) {
        Vector v[some];
        Power p[some];
        for_each_of<some>([&](std::size_t k) { v[k] = elements_[i + k]; });
        Sums::powers(v, against, p);
        if (use == Powers::kept) {
            for_each_of<some>([&](std::size_t k) {
                elements_[i + k] = p[k].root;
                growths_[i + k] = p[k].growth;
            });
        }
        if constexpr (!Against::is_near) {
            if (use == Powers::counted)
                for_each_of<some>([&](std::size_t k) { count_instead(v[k], against, p[k], equal); });
        }
        for_each_of<some>([&](std::size_t k) SAMESUM_INLINED { lane_[(i + k) % line_lanes].add(p[k]); });
    }

    const std::size_t n_;
    Vector *const elements_, *const growths_;
    LaneSum lane_[line_lanes];  // only those in use are set
};

static_assert(line_block % stretch == 0);

// What the elements of vectors add up to, and how many were counted instead.
template <class Across>
struct Counted {
    Across across;
    Doubles equal;

    template <int distance>
    SAMESUM_INLINE Counted paired(const Counted& other) const {
        return {across.template paired<distance>(other.across),
                paired_low<distance>(equal, other.equal) + paired_high<distance>(equal, other.equal)};
    }
};

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

    // Vectors taken together, of which the last ones may be less than whole.
    template <std::size_t vectors>
    struct Group : std::integral_constant<std::size_t, vectors> {
        bool is_whole;

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

    // How the vectors of a line are taken: take(group, i) from element i on. Where that does little, groups
    // that are whole have code of their own (`light`): tests of it would take as long.
    template <bool light = false, class Take>
    static SAMESUM_INLINE void each_group(std::size_t first, std::size_t last, Take take) {
        constexpr std::size_t step = most_together * elements;
        std::size_t i = first;
        if constexpr (light)
            for (; last - i >= step; i += step) take(Group<most_together>{{}, true}, i);
        for (; i < last; i += step) {
            if constexpr (few_together < most_together) {
                if (last - i <= few_together * elements) return take(Group<few_together>{{}, false}, i);
            }
            take(Group<most_together>{{}, !light && last - i >= step}, i);
        }
    }

    // Where parts of vectors are loaded and stored as whole ones are.
    static constexpr bool has_masks = vector_bytes == 64;
    template <class G>
    static constexpr std::size_t group_bytes = G::value * elements * size;

    // n elements with -inf after them, which stands for those that are missing.
    template <std::size_t bytes>
    static __attribute__((noinline)) const char* padded(const char* x, std::size_t n, char (&some)[bytes]) {
        constexpr std::uint64_t nothing = sign_bit(A::format) | infinity_bits(A::format);
        for (std::size_t k = 0; k < bytes / size; ++k) store_bits(some, k, nothing, size);
        std::memcpy(some, x, n * size);
        return some;
    }

    template <class G>
    static SAMESUM_INLINE void load_group(G group, const char* x, std::size_t i, std::size_t n,
                                          Vector (&v)[G::value]) {
        prefetch_run<group_bytes<G>>(x + i * size);
        alignas(64) char some[group_bytes<G>];
        const char* from = x + i * size;
        if (!has_masks && !group.is_whole) from = padded(from, n - i, some);
        for_each_of<group>([&](std::size_t k) {
            const char* const p = from + k * elements * size;
            v[k] = has_masks && !group.is_whole ? A::load_part(p, group.left(i, n, k)) : A::load_whole(p);
        });
    }

    template <class G>
    static SAMESUM_INLINE void put_group(G group, void* out, std::size_t i, std::size_t n,
                                         const Vector (&v)[G::value]) {
        alignas(64) char some[group_bytes<G>];
        char *const all = static_cast<char*>(out) + i * size, *const to =
                                                                  has_masks || group.is_whole ? all : some;
        for_each_of<group>([&](std::size_t k) {
            const bool is_part = has_masks && !group.is_whole;
            A::store_part(to + k * elements * size, v[k], is_part ? group.left(i, n, k) : elements);
        });
        if (!has_masks && !group.is_whole) std::memcpy(all, some, (n - i) * size);
    }

    // Of the elements of a vector, by their index.
    struct Sum {
        LaneSum lane;
        Vector most;
        Mask equal;

        SAMESUM_INLINE Across across() const { return Across::of(lane, most); }
        SAMESUM_INLINE Counted<Across> counted() const { return {Across::of(lane, most), A::counts(equal)}; }
        SAMESUM_INLINE LineShare share() const {
            const Across all = folded_alone(across());
            LineShare found{all.total()[0], all.rest()[0], all.most[0], 0};
            for (std::size_t k = 0; k < elements; ++k) found.count += equal[k];
            return found;
        }
    };

    // What becomes of the powers of a line's elements; from `kept` on, if they are. What lies `ahead`, in
    // bytes, is asked for meanwhile.
    struct Way {
        Powers use;
        Power* kept;
        std::ptrdiff_t ahead;
    };

    // Against nothing but zero, the greatest element is found, NaNs apart.
    template <class Against>
    static SAMESUM_INLINE Sum sum_by(const char* x, std::size_t n, const Against& against, const Way& way) {
        LaneSum lane[parts];
        for (LaneSum& l : lane) l.begin();
        Mask equal = {};
        Vector most = same(-infinity);
        for (std::size_t start = 0; start < n; start += stretch) {
            const std::size_t end = n - start < stretch ? n : start + stretch;
            each_group(start, end, [&](auto group, std::size_t i) SAMESUM_INLINED {
                Vector v[group];
                Power p[group];
                load_group(group, x, i, n, v);
                A::powers(v, against, p);
                for_each_of<group>([&](std::size_t k) {
                    if (!group.is_whole) p[k].root = first_ones(group.left(i, n, k), p[k].root);
                    if constexpr (Against::is_near) most = greater(v[k], most);
                    if constexpr (!Against::is_near)
                        if (way.use == Powers::counted) count_instead(v[k], against, p[k], equal);
                    lane[k % parts].add(p[k]);
                    if (way.use == Powers::kept) way.kept[i / elements + k] = p[k];
                    prefetch_rows<1>(x + way.ahead + (i + k * elements) * size, 0, 64);
                });
            });
            for (LaneSum& l : lane) l.settle();
        }
        for (std::size_t half = parts / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) lane[k].join(lane[k + half]);
        return {lane[0], most, equal};
    }

    // The same where a call takes little.
    template <class Against>
    static SAMESUM_APART Sum sum_apart(const char* x, std::size_t n, const Against& against, Way way) {
        return sum_by(x, n, against, way);
    }

    // The greatest element, NaNs apart.
    static SAMESUM_INLINE Across greatest_of(const char* x, std::size_t n) {
        Vector most = same(-infinity);
        each_group<true>(0, n, [&](auto group, std::size_t i) SAMESUM_INLINED {
            Vector v[group];
            load_group(group, x, i, n, v);
            for_each_of<group>([&](std::size_t k) { most = greater(v[k], most); });
        });
        return Across::of(LaneSum{}, most);
    }

    static SAMESUM_INLINE Below below(double greatest) { return Below::of(same(greatest), Mask{}); }

    static SAMESUM_INLINE bool is_finite(double v) { return samesum::magnitude(v) < infinity; }

    static void fill_with_nan(void* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, canonical_nan(A::format), size);
    }

    static SAMESUM_APART void put_near_logarithms(const char* x, std::size_t n, const Logarithm& log,
                                                  void* out) {
        put_each(x, n, out, [&](Vector v) { return A::near_quotient(v, log); });
    }
    static SAMESUM_APART void put_logarithms(const char* x, std::size_t n, Vector origin,
                                             const Logarithm& log, void* out) {
        put_each(x, n, out,
                 [&, from = unsigned_zero(origin)](Vector v) { return A::log_quotient(v, from, log); });
    }

    template <class Result>
    static SAMESUM_INLINE void put_each(const char* x, std::size_t n, void* out, Result result) {
        each_group<true>(0, n, [=](auto group, std::size_t i) SAMESUM_INLINED {
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
