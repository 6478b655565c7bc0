// What the powers of a line's elements are taken against: a power of two, which changes none of their bits.
#pragma once

#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

// Powers as they are, of lines whose greatest element is in the range. What is below `least` is taken for it.
template <class R>
struct NearZero {
    using Vector = typename R::Vector;
    using Mask = typename R::Mask;
    static constexpr bool is_near = true;

    static SAMESUM_INLINE Mask holds(Vector most) {
        return (most >= R::least_greatest) & (most <= R::greatest);
    }
    static SAMESUM_INLINE Vector placed(Vector x) {
        const Vector none = {};
        return lesser(none + R::greatest, greater(none + R::least, x));
    }
    static SAMESUM_INLINE Vector whole() { return Vector{} + R::to_whole; }
};

// Powers against one near that of each line's greatest element, and of lines that are near zero as they are.
// Of a greatest element beyond `taken_as_it_is` the others' differences are taken, which are exact for those
// that do not vanish.
template <class R>
struct BelowGreatest {
    using Vector = typename R::Vector;
    using Mask = typename R::Mask;
    static constexpr bool is_near = false;
    Vector greatest, subtracted, least, most, octaves;

    static SAMESUM_INLINE BelowGreatest of(Vector greatest, Mask near) {
        const Vector none = {}, infinite = none + infinity_of();
        const Mask as_it_is = near | ((greatest <= R::taken_as_it_is) & (greatest >= -R::taken_as_it_is));
        const Vector subtracted = as_it_is ? none : greatest, top = greatest - subtracted;
        const Vector octaves = fused(top, none + R::per_octave, none + R::to_whole) - R::to_whole;
        return {near ? infinite : greatest, subtracted, near ? none + R::least : top + R::vanishing,
                near ? none + R::greatest : infinite, near ? none : octaves};
    }

    // The same for all elements of one line.
    SAMESUM_INLINE BelowGreatest of_line(std::size_t k) const {
        const Vector none = {};
        return {none + greatest[k], none + subtracted[k], none + least[k], none + most[k], none + octaves[k]};
    }

    static constexpr auto infinity_of() { return static_cast<decltype(R::least)>(__builtin_huge_val()); }

    // The lines that are near zero, where no element is infinite: none equals their `greatest` and `nothing`.
    SAMESUM_INLINE Mask near() const { return greatest == infinity_of(); }
    SAMESUM_INLINE Vector nothing() const { return near() ? greatest : Vector{} - infinity_of(); }
    // The greatest element as powers take it; zero for lines that are near it.
    SAMESUM_INLINE Vector top() const { return near() ? Vector{} : greatest - subtracted; }

    SAMESUM_INLINE Vector placed(Vector x) const { return lesser(most, greater(least, x - subtracted)); }
    SAMESUM_INLINE Vector whole() const { return R::to_whole - R::steps * octaves; }
};

}  // namespace samesum::SAMESUM_ISA
