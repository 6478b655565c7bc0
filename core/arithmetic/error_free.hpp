// Error-free transformations, on doubles and on vectors of doubles alike.
#pragma once

// Inlined everywhere: the same source is compiled for several instruction sets, and an out-of-line copy from
// one of them must never serve another.
#define SAMESUM_INLINE inline __attribute__((always_inline))
// Of lambdas, between parameters and body.
#define SAMESUM_INLINED __attribute__((always_inline))
// Once, neither inlined nor copied for arguments that are constants somewhere.
#if defined(__clang__)
#define SAMESUM_APART __attribute__((noinline))
#else
#define SAMESUM_APART __attribute__((noinline, noclone))
#endif

namespace samesum {

// s + e == a + b exactly (Knuth). Not for s beyond the largest double. (Lemma 1)
template <class V>
SAMESUM_INLINE void two_sum(V a, V b, V& s, V& e) {
    s = a + b;
    const V virtual_b = s - a;
    e = (a - (s - virtual_b)) + (b - virtual_b);
}

// A running total hi + lo whose distance from the exact one is at most `bound`.
struct Sum {
    double hi = 0, lo = 0, bound = 0;
};

constexpr double unit_roundoff = 0x1p-53;
// Covers the rounding of the bound's own arithmetic.
constexpr double bound_slack = 1.01;

SAMESUM_INLINE double magnitude(double x) { return __builtin_fabs(x); }

// The residual of the low word is known exactly, so exactly representable work keeps the bound as it was.
// (Lemma 3)
SAMESUM_INLINE void add(Sum& total, double value) {
    double carry, residual;
    two_sum(total.hi, value, total.hi, carry);
    two_sum(total.lo, carry, total.lo, residual);
    total.bound += magnitude(residual);
}

SAMESUM_INLINE void add(Sum& total, const Sum& part) {
    double residual;
    add(total, part.hi);
    two_sum(total.lo, part.lo, total.lo, residual);
    total.bound += part.bound + magnitude(residual);
}

}  // namespace samesum
