// What neighbouring lines add up to, an element of each in a vector.
#pragma once

#include <cstddef>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

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

    // Four powers at a time are under way together: of one lane, or of less than a stretch of four lanes.
    // Loops of their own for both gain 5 % in float64 and nothing in float32.
    template <class Against>
    SAMESUM_APART typename Sums::Total take(const Against& against, Powers use) {
        constexpr bool apart = sizeof(typename Sums::Scalar) == sizeof(double);
        const std::size_t whole = n_ / stretch * stretch;
        std::size_t i = 0;
        while (apart && i < whole) i = take_some(i, true, against, use);
        while (i + lane_terms <= n_) i = take_some(i, !apart && i < whole, against, use);
        for (; i < n_; ++i) {
            Power p[1];
            find_powers(i, 1, against, use, p);
            add(i, p[0]);
        }
        return total();
    }

  private:
    SAMESUM_INLINE typename Sums::Total total() {
        std::size_t used = n_ < line_lanes ? n_ : line_lanes;
        for (std::size_t half = line_lanes / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half && k + half < used; ++k) lane_[k].join(lane_[k + half]);
            used = used < half ? used : half;
        }
        return lane_[0].total();
    }

    // From element i on, of its lane alone or of the elements after it; returns where it goes on.
    template <class Against>
    SAMESUM_INLINE std::size_t take_some(std::size_t i, bool in_lane, const Against& against, Powers use) {
        Power p[lane_terms];
        find_powers(i, in_lane ? line_lanes : 1, against, use, p);
        if (in_lane) {
            add_all(i, p);
            return i + (i % line_lanes + 1 < line_lanes ? 1 : stretch - line_lanes + 1);
        }
        for_each_of<lane_terms>([&](std::size_t k) SAMESUM_INLINED { add(i + k, p[k]); });
        return i + lane_terms;
    }

    // The powers of some elements, from number i on by the step.
    template <std::size_t some, class Against>
    SAMESUM_INLINE void find_powers(std::size_t i, std::size_t step, const Against& against, Powers use,
                                    Power (&p)[some]) {
        Vector v[some];
        for_each_of<some>([&](std::size_t k) { v[k] = elements_[i + k * step]; });
        Sums::powers(v, against, p);
        if (use == Powers::kept) {
            for_each_of<some>([&](std::size_t k) {
                elements_[i + k * step] = p[k].root;
                growths_[i + k * step] = p[k].growth;
            });
        }
        if constexpr (!Against::is_near) {
            if (use == Powers::counted)
                for_each_of<some>([&](std::size_t k) { count_instead(v[k], against, p[k], equal); });
        }
    }

    // The lane of element i without it and those after it.
    SAMESUM_INLINE LaneSum before(std::size_t i) const {
        if (i >= line_lanes) return lane_[i % line_lanes];
        LaneSum none;
        none.begin();
        return none;
    }

    // Terms of one lane in a stretch.
    SAMESUM_INLINE void add_all(std::size_t i, const Power (&p)[lane_terms]) {
        LaneSum lane = before(i);
        for_each_of<lane_terms>([&](std::size_t k) SAMESUM_INLINED { lane.add(p[k]); });
        lane.settle();
        lane_[i % line_lanes] = lane;
    }

    // Of less than a stretch.
    SAMESUM_INLINE void add(std::size_t i, const Power& p) {
        LaneSum lane = before(i);
        lane.add(p);
        if (i + line_lanes >= n_) lane.settle();
        lane_[i % line_lanes] = lane;
    }

    const std::size_t n_;
    Vector *const elements_, *const growths_;
    LaneSum lane_[line_lanes];  // only those in use are set
};

}  // namespace samesum::SAMESUM_ISA
