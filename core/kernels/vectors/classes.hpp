// Which elements are positive numbers.
#pragma once

#include "kernels/vectors/float_batches.hpp"

namespace samesum::SAMESUM_ISA {

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

// Where the element is not a positive normal number; subnormal ones are right too where instructions take
// them.
SAMESUM_INLINE Lanes lanes_unusual(Singles x) {
#if defined(__AVX512DQ__)
    constexpr int others = 0x9f, negative = 0x40;
    return _mm512_fpclass_ps_mask(x, others | negative);
#else
    constexpr std::uint32_t least = 0x00800000, infinite = 0x7f800000;
    return lanes_above(bits_of(x) - least, infinite - 1 - least);
#endif
}

}  // namespace samesum::SAMESUM_ISA
