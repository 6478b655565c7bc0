// Whether all, or any, elements are true: all but zeros of either sign are.
#pragma once

#include <limits>

#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// `T` is Bits or a vector of them: of floats signed integers, whose sign is ignored, of integers unsigned
// ones. What was seen: bits, of which none are set before one element was true, or which are all zero once
// one was false.
template <class T, class Bits, bool any>
struct Truth {
    static constexpr bool has_size = false;
    static constexpr Bits magnitude = std::numeric_limits<Bits>::max(), identity = any ? 0 : magnitude;

    T best;

    static SAMESUM_INLINE Truth none() { return {static_cast<T>(T{} + identity)}; }

    static SAMESUM_INLINE T both(T a, T b) {
        if constexpr (any) return static_cast<T>(a | b);
        return a < b ? a : b;
    }

    SAMESUM_INLINE void take(T x) { best = both(best, static_cast<T>(x & magnitude)); }
    SAMESUM_INLINE void join(const Truth& other) { best = both(best, other.best); }
    SAMESUM_INLINE Truth<Bits, Bits, any> across() const {
        return {samesum::SAMESUM_ISA::across(best, [](T a, T b) { return both(a, b); })};
    }

    SAMESUM_INLINE bool is_decided() const { return (best != 0) == any; }
};

}  // namespace samesum::SAMESUM_ISA
