// 16-bit floats added up in float32, which leaves far more than their format holds, a few at a time.
#pragma once

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/singles.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of some elements the sum, and for numbers of either sign a size: magnitudes of the sums on the way to it,
// added up.
template <class F, Map map>
struct SinglePart {
    static constexpr bool tracks_size = map == Map::itself;

    Doubles sum = {};
    Floats size = {};

    static SAMESUM_INLINE SinglePart joined(const SinglePart& a, const SinglePart& b) {
        return {plus(a.sum, b.sum), tracks_size ? a.size + b.size : Floats{}};
    }

    template <int distance>
    SAMESUM_INLINE SinglePart paired(const SinglePart& other) const {
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

    // Where additions left out so much of the size, or of the sum.
    SAMESUM_INLINE Doubles bound(double error) const {
        return (tracks_size ? widen(size) : sum) * (error * bound_slack);
    }
};

// Four vectors of floats as one term, added up in float32, as loops ask for them (kernels/loops/lanes.hpp).
template <class F, Map map>
struct SinglesOf {
    static constexpr std::size_t elements = singles, size = F::size, together = 4;
    static constexpr bool by_lines = true;
    struct Term {
        Singles first, sum;  // of the first two; of all
    };

    static SAMESUM_INLINE Term term(const char* p, std::ptrdiff_t distance) {
        const Singles first = pair(p, distance);
        return {first, first + pair(p + 2 * distance, distance)};
    }
    static SAMESUM_INLINE Term all(const char* p) {
        const Singles x = load_singles<F>(p);
        if constexpr (map == Map::magnitude) return {Singles{}, samesum::SAMESUM_ISA::magnitude(x)};
        return {Singles{}, map == Map::square ? x * x : x};
    }
    static SAMESUM_INLINE Term first(const char* p, std::size_t n) {
        char padded[singles * F::size];
        store(padded, load_first<typename VectorOf<std::uint16_t, singles * F::size>::type>(p, n));
        return all(padded);
    }

  private:
    static SAMESUM_INLINE Singles pair(const char* p, std::ptrdiff_t distance) {
        const Singles a = load_singles<F>(p), b = load_singles<F>(p + distance);
        if constexpr (map == Map::magnitude)
            return samesum::SAMESUM_ISA::magnitude(a) + samesum::SAMESUM_ISA::magnitude(b);
        if constexpr (map != Map::square) return a + b;
        return has_fused ? fused(b, b, a * a) : a * a + b * b;
    }
};

// Sums of such terms.
template <class F, Map map>
struct SingleGroup {
    using Part = SinglePart<F, map>;
    using Load = SinglesOf<F, map>;

    // What additions in float32 leave out, in sizes: less than 2^-24 of a + b, of c + d and of both together.
    // The size has a + b and both together, and |c + d| is not more than the two. (Lemma 15)
    static constexpr double error = 2 * 0x1p-24;

    Doubles low = {}, high = {};
    Singles size = {};

    SAMESUM_INLINE void take(const typename Load::Term& term) {
        const Halves half = widen(term.sum);
        low = plus(low, half.low);
        high = plus(high, half.high);
        if constexpr (Part::tracks_size)
            size += samesum::SAMESUM_ISA::magnitude(term.first) + samesum::SAMESUM_ISA::magnitude(term.sum);
    }

    SAMESUM_INLINE void join(const SingleGroup& other) {
        low = plus(low, other.low);
        high = plus(high, other.high);
        if constexpr (Part::tracks_size) size += other.size;
    }

    SAMESUM_INLINE Part part() const {
        Floats part[2];
        __builtin_memcpy(part, &size, sizeof size);
        return Part::joined({low, part[0]}, {high, part[1]});
    }
};

}  // namespace samesum::SAMESUM_ISA
