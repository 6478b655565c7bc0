// Elements of vectors of doubles moved on by turns of lines that lie element by element beside each other.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

#if defined(__AVX2__)
// Where the elements of a permuted vector come from, as the instruction for it takes that: of elements of
// eight bytes, or of both halves of each.
struct TurnPlaces {
#if defined(__AVX512F__)
    using Place = std::int64_t;
#else
    using Place = std::int32_t;
#endif
    static constexpr std::size_t places = 8, each = places / width;

    Place moved[2 * places];           // by n places, from number places - n on
    Place last[width][places];         // of so many lines the last elements
    std::int64_t is_moved[2 * width];  // whether something comes there

    constexpr TurnPlaces() : moved{}, last{}, is_moved{} {
        for (std::size_t p = 0; p < 2 * places; ++p)
            moved[p] = static_cast<Place>(p) - static_cast<Place>(places);
        for (std::size_t lines = 1; lines < width; ++lines)
            for (std::size_t p = 0; p < places; ++p)
                last[lines][p] = static_cast<Place>(places + p - each * lines * (p / each / lines + 1));
        for (std::size_t j = width; j < 2 * width; ++j) is_moved[j] = -1;
    }
};
inline constexpr TurnPlaces turn_places;
#endif

inline constexpr int most_steps = std::countr_zero(width);

// What moves the elements of a vector on by turns of `lines` elements, fewer than `width`: by as many, by
// twice as many and so on, in so many steps.
template <int steps>
struct Turns {
#if defined(__AVX2__)
    explicit SAMESUM_INLINE Turns(std::size_t lines) : last_(load<Places>(turn_places.last[lines])) {
        for_each_of<steps>([&](std::size_t s) {
            const std::size_t distance = std::min(lines << s, width);
            from_[s] = load<Places>(turn_places.moved + TurnPlaces::places - TurnPlaces::each * distance);
            mask_[s] = load<Mask>(turn_places.is_moved + width - distance);
        });
    }
#else
    explicit SAMESUM_INLINE Turns(std::size_t) {}
#endif

    // The prefixes of the elements v of a vector after `sum`, which becomes what the next ones come after.
    SAMESUM_INLINE Doubles next(Doubles& sum, Doubles v) const {
        for_each_of<steps>([&](std::size_t s) { v += moved(s, v); });
        const Doubles prefixes = v + sum;
        sum = after(prefixes);
        return prefixes;
    }

    // For each element of the next vector the last one of its line.
    SAMESUM_INLINE Doubles after(Doubles v) const {
#if defined(__AVX2__)
        return permuted(v, last_);
#else
        return Doubles{} + v[width - 1];
#endif
    }

  private:
#if defined(__AVX512F__)
    using Places = __m512i;
    using Mask = Longs;
    static SAMESUM_INLINE Doubles permuted(Doubles v, Places places) {
        return reinterpret_cast<Doubles>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(v)));
    }
#elif defined(__AVX2__)
    using Places = __m256i;
    using Mask = Longs;
    static SAMESUM_INLINE Doubles permuted(Doubles v, Places places) {
        return reinterpret_cast<Doubles>(_mm256_permutevar8x32_ps(reinterpret_cast<__m256>(v), places));
    }
#endif

#if defined(__AVX2__)
    // Zeros come in.
    SAMESUM_INLINE Doubles moved(std::size_t s, Doubles v) const {
        return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(permuted(v, from_[s])) & mask_[s]);
    }

    Places last_, from_[steps];
    Mask mask_[steps];
#else
    static SAMESUM_INLINE Doubles moved(std::size_t, Doubles v) {
        static_assert(width == 2);
        return __builtin_shufflevector(Doubles{}, v, 1, 2);
    }
#endif
};

}  // namespace samesum::SAMESUM_ISA
