// Several vectors of doubles as one operand: each operation is done for all of them before the next one,
// since one vector after the other leaves the units idle.
#pragma once

#include <type_traits>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t count>
struct DoubleBatch {
    Doubles part[count];

    SAMESUM_INLINE DoubleBatch() = default;
    SAMESUM_INLINE DoubleBatch(double all) {
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { part[v] = Doubles{} + all; });
    }

    static SAMESUM_INLINE DoubleBatch one(Doubles only) {
        return made([&](std::size_t) SAMESUM_INLINED { return only; });
    }

    // f(v) as vector number v.
    template <class F>
    static SAMESUM_INLINE DoubleBatch made(const F& f) {
        DoubleBatch made;
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { made.part[v] = f(v); });
        return made;
    }

    friend SAMESUM_INLINE DoubleBatch operator+(DoubleBatch a, DoubleBatch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] + b.part[v]; });
    }
    friend SAMESUM_INLINE DoubleBatch operator-(DoubleBatch a, DoubleBatch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] - b.part[v]; });
    }
    friend SAMESUM_INLINE DoubleBatch operator-(DoubleBatch a) {
        return made([&](std::size_t v) SAMESUM_INLINED { return -a.part[v]; });
    }
    friend SAMESUM_INLINE DoubleBatch operator*(DoubleBatch a, DoubleBatch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] * b.part[v]; });
    }
};

template <std::size_t count>
SAMESUM_INLINE DoubleBatch<count> magnitude(DoubleBatch<count> x) {
    return DoubleBatch<count>::made(
        [&](std::size_t v) SAMESUM_INLINED { return samesum::SAMESUM_ISA::magnitude(x.part[v]); });
}

// a * b + c; a constant operand is a number.
template <std::size_t count>
SAMESUM_INLINE DoubleBatch<count> fused(DoubleBatch<count> a, std::type_identity_t<DoubleBatch<count>> b,
                                        std::type_identity_t<DoubleBatch<count>> c) {
    return DoubleBatch<count>::made([&](std::size_t v)
                                        SAMESUM_INLINED { return fused(a.part[v], b.part[v], c.part[v]); });
}

// Whether any element is no positive number, or no normal one where `normal`.
template <bool normal>
SAMESUM_INLINE bool any_unusual(Doubles x) {
#if defined(__AVX512DQ__)
    constexpr int others = 0x9f, subnormal = normal ? 0x20 : 0, negative = 0x40;
    return _mm512_fpclass_pd_mask(reinterpret_cast<__m512d>(x), others | subnormal | negative) != 0;
#else
    constexpr std::uint64_t least = normal ? std::uint64_t{1} << 52 : 1,
                            infinite = std::uint64_t{0x7ff} << 52;
    return any_above(reinterpret_cast<UnsignedLongs>(x) - least, infinite - 1 - least);
#endif
}

}  // namespace samesum::SAMESUM_ISA
