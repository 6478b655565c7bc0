// The steps of softmax and of its logarithm of some lines, of which each has a place in a vector: reference,
// total of the powers, quotients. How the elements of the lines are gone through is up to `Lines`.
#pragma once

#include "methods/line_method.hpp"

namespace samesum::SAMESUM_ISA {

// Some of the lines, as a mask, and whether that is all of them or none.
template <class Mask>
struct Chosen {
    Mask mask;
    bool all, none;

    template <class Lines>
    static SAMESUM_INLINE Chosen of(Mask mask, const Lines& lines) {
        return {mask, lines.are_all(mask), lines.are_all(~mask)};
    }
    static SAMESUM_INLINE Chosen nothing() { return {Mask{}, false, true}; }
};

// What the results of some lines are made of.
template <class A, bool log>
struct Quotients {
    using Mask = typename A::Mask;
    typename A::Logarithm near_logs, logs;  // of lines whose powers are as they are, and of others
    Chosen<Mask> near;                      // those lines
};
template <class A>
struct Quotients<A, false> {
    typename A::Reciprocal inverse;
};

template <class Lines, bool log>
struct Steps {
    using A = typename Lines::Arithmetic;
    using Vector = typename A::Vector;
    using Mask = typename A::Mask;

    Lines lines;
    Chosen<Mask> near;  // whose greatest element is near zero: of the logarithm perhaps not all of these
    bool are_complete;  // the totals of others, too
    Quotients<A, log> quotients;

    Steps() = default;
    explicit SAMESUM_INLINE Steps(const Lines& of) : lines(of) {}

    SAMESUM_INLINE void run() {
        add_up();
        find_quotients();
        lines.put(quotients);
    }

  private:
    // Powers of lines near zero are added up as they are, those of others against their greatest elements
    // where some are expected, and else not yet.
    SAMESUM_INLINE void add_up() {
        are_complete = lines.expects_distant;
        if (lines.expects_distant) {
            lines.find_greatest();
            find_near();
            if (!near.all) return lines.template add_below<log>(near.mask, Mask{});
        }
        lines.template add_near<log>();
        find_near();
    }

    SAMESUM_INLINE void find_quotients() {
        if constexpr (log)
            find_logarithms();
        else
            find_reciprocals();
    }

    SAMESUM_INLINE void find_near() {
        if (log && lines.length() < least_near_logarithm)
            near = Chosen<Mask>::nothing();
        else
            near = Chosen<Mask>::of(A::Near::holds(lines.most()), lines);
    }

    SAMESUM_INLINE void find_reciprocals() {
        if (!near.all && !are_complete) lines.template add_below<false>(near.mask, near.mask);
        quotients.inverse = A::Reciprocal::of(lines.total());
    }

    // Near zero the powers are taken as they are only if the logarithm is distant from the greatest element.
    SAMESUM_INLINE void find_logarithms() {
        Quotients<A, true>& q = quotients;
        q.near = Chosen<Mask>::nothing();
        if (!near.none) {
            q.near_logs = A::logarithm(Mask{}, lines.total());
            q.near = Chosen<Mask>::of(near.mask & A::is_distant(q.near_logs, lines.most()), lines);
            if (q.near.all) return;
        }
        const Mask done = q.near.mask | (are_complete ? ~near.mask : Mask{});
        if (!(are_complete && near.none) && !lines.are_all(done))
            lines.template add_below<true>(q.near.mask, done);
        find_distant(q.near.mask);
    }
    SAMESUM_INLINE void find_distant(Mask but) {
        const auto below = A::Below::of(lines.most(), but);
        quotients.logs = A::logarithm(lines.counts() & ~but, A::relative(lines.total(), below));
    }
};

}  // namespace samesum::SAMESUM_ISA
