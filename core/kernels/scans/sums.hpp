// Running totals of a vector of sums.
#pragma once

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// As Sum: hi + lo is at most `bound` from the exact total.
struct Sums {
    Doubles hi, lo, bound;

    static SAMESUM_INLINE Sums at(const double* hi, const double* lo, const double* bound) {
        return {load<Doubles>(hi), load<Doubles>(lo), load<Doubles>(bound)};
    }
    SAMESUM_INLINE void put(double* hi_to, double* lo_to, double* bound_to) const {
        store(hi_to, hi);
        store(lo_to, lo);
        store(bound_to, bound);
    }

    SAMESUM_INLINE void add(Doubles value) {
        Doubles carry;
        two_sum(hi, value, hi, carry);
        add_low(carry);
    }
    SAMESUM_INLINE void add_low(Doubles value) {
        Doubles residual;
        two_sum(lo, value, lo, residual);
        bound += samesum::SAMESUM_ISA::magnitude(residual);
    }
};

}  // namespace samesum::SAMESUM_ISA
