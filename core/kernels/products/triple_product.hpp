// Products in three words, far nearer than two are.
#pragma once

#include "kernels/accumulators/factors.hpp"
#include "kernels/loops/lanes.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// After k factors the middle word is at most about k u and the last one about k^2 u^2 of the product (u =
// 2^-53), and a step loses at most (k + 2)^2 u^3: in a lane (k + 2)^3 / 3 u^3, which is 2^-133 for the 512
// factors of the narrowest vectors' 8 lanes and less for more lanes; 2^-130 in all. (Lemma 28)
struct TripleFactors {
    Doubles hi, mid, lo;
    Longs exponent;

    SAMESUM_INLINE void multiply(Doubles x) {
        const Doubles product = hi * x, error = fused(hi, x, -product);
        const Doubles scaled = mid * x, rest = fused(mid, x, -scaled);
        Doubles residual;
        two_sum(error, scaled, mid, residual);
        lo = fused(lo, x, rest + residual);
        hi = product;
    }
};

template <class F>
struct TripleProduct {
    using Load = FactorsOf<F>;
    static constexpr std::size_t chains = 4,
                                 steps = triple_elements / (chains * Load::together * Load::elements);
    static_assert(chains * width <= TripleLanes::most && steps <= 512);
    static_assert(TripleLanes::lost == 0x1p-130);

    static std::size_t lanes(const void* x, TripleLanes& to) {
        const char* p = static_cast<const char*>(x);
        const Doubles none = {};
        TripleFactors chain[chains];
        for (TripleFactors& each : chain)
            each = {none + 1, none, none, Longs{} - static_cast<std::int64_t>(steps) * field_bias};
        Longs odd = {};
        std::size_t n = triple_elements;
        each_term<Load, chains>(p, n, [&](std::size_t k, Doubles factor) SAMESUM_INLINED {
            const Longs field = exponent_field(factor);
            odd |= is_odd(field);
            chain[k].exponent += field;
            chain[k].multiply(significand_of(factor));
        });
        for (std::size_t k = 0; k < chains; ++k) {
            store(to.hi + k * width, chain[k].hi);
            store(to.mid + k * width, chain[k].mid);
            store(to.lo + k * width, chain[k].lo);
            store(to.exponent + k * width, chain[k].exponent);
        }
        return any_negative(odd) ? 0 : chains * width;
    }
};

}  // namespace samesum::SAMESUM_ISA
