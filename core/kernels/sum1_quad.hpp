// Sums of 16-bit floats of which four are added up in float32, which leaves far more than their format holds.
#pragma once

#include "kernels/singles.hpp"
#include "kernels/sum1_part.hpp"

namespace samesum::SAMESUM_ISA {

// Of some elements the sum, and for numbers of either sign a size: magnitudes of the sums on the way to it,
// added up. float16 numbers without that are exact sums anyway (Sum1Part).
template <class F, Map map>
struct Sum1QuadPart {
    static constexpr bool tracks_size = map == Map::itself;

    Doubles sum = {};
    Floats size = {};

    static SAMESUM_INLINE Sum1QuadPart of(const Sum1Part<F, map, false>& part) {
        if constexpr (!tracks_size) return {part.sum, Floats{}};
        return {part.sum, samesum::SAMESUM_ISA::magnitude(part.greatest)};
    }
    static SAMESUM_INLINE Sum1QuadPart of(const char* p) { return of(Sum1Part<F, map, false>::of(p)); }
    static SAMESUM_INLINE Sum1QuadPart of(const char* p, std::size_t n) {
        return of(Sum1Part<F, map, false>::of(p, n));
    }

    static SAMESUM_INLINE Sum1QuadPart joined(const Sum1QuadPart& a, const Sum1QuadPart& b) {
        return {plus(a.sum, b.sum), tracks_size ? a.size + b.size : Floats{}};
    }

    template <int distance>
    SAMESUM_INLINE Sum1QuadPart paired(const Sum1QuadPart& other) const {
        return joined({paired_low<distance>(sum, other.sum), paired_low<distance>(size, other.size)},
                      {paired_high<distance>(sum, other.sum), paired_high<distance>(size, other.size)});
    }

    // Where nothing left the range of float32 on the way. Float16 cannot; of bfloat16 the squares of numbers
    // below 2^-63 are rounded more, which a sum from 2^-100 on does not show.
    SAMESUM_INLINE Longs is_sure() const {
        if constexpr (F::format == Format::f16) return ~Longs{};
        if constexpr (tracks_size) return widen(size) < infinity;
        return (sum >= (map == Map::square ? 0x1p-100 : 0)) & (sum < infinity);
    }

    // With so much left out of the sizes, or the sum, by additions in float64.
    SAMESUM_INLINE Doubles bound(double error) const {
        return (tracks_size ? widen(size) : sum) * ((error + in_float32) * bound_slack);
    }

  private:
    // Of a and b, c and d, and both sums less than 2^-24 of each is left out, and |c + d| <= |a + b| + the
    // whole; where all are positive less than three times that of the whole.
    static constexpr double in_float32 = (tracks_size ? 2 : 3) * 0x1p-24;
};

// Sums of the columns of one vector of floats.
template <class F, Map map>
struct Sum1Quad {
    using Part = Sum1QuadPart<F, map>;

    Doubles low = {}, high = {};
    Singles size = {};

    // Four vectors, `stride` bytes apart.
    SAMESUM_INLINE void take(const char* p, std::ptrdiff_t stride) {
        Singles x[4];
        for_each_of<4>([&](std::size_t k) {
            x[k] = load_singles<F>(p + static_cast<std::ptrdiff_t>(k) * stride);
            if constexpr (map == Map::magnitude) x[k] = samesum::SAMESUM_ISA::magnitude(x[k]);
        });
        const Singles sum = sum_of(x);
        const Halves half = widen(sum);
        low = plus(low, half.low);
        high = plus(high, half.high);
        if constexpr (Part::tracks_size)
            size += samesum::SAMESUM_ISA::magnitude(x[0] + x[1]) + samesum::SAMESUM_ISA::magnitude(sum);
    }

    SAMESUM_INLINE void join(const Sum1Quad& other) {
        low = plus(low, other.low);
        high = plus(high, other.high);
        if constexpr (Part::tracks_size) size += other.size;
    }

    SAMESUM_INLINE Part part() const {
        Floats part[2];
        __builtin_memcpy(part, &size, sizeof size);
        return Part::joined({low, part[0]}, {high, part[1]});
    }

  private:
    static SAMESUM_INLINE Singles sum_of(const Singles (&x)[4]) {
        if constexpr (map != Map::square) return (x[0] + x[1]) + (x[2] + x[3]);
        Singles sum = x[0] * x[0];
        for_each_of<3>([&](std::size_t k) { sum = plus_square(sum, x[k + 1]); });
        return sum;
    }

    static SAMESUM_INLINE Singles plus_square(Singles sum, Singles x) {
#if defined(__FMA__)
        return fused(x, x, sum);
#else
        return x * x + sum;
#endif
    }
};

}  // namespace samesum::SAMESUM_ISA
