// The extreme of elements: of integers, and of floats through integer keys in the order of IEEE 754's
// `minimum` and `maximum` (-0 below +0); the greatest magnitude is kept beside the key, since it tells
// whether there was a NaN.
#pragma once

#include <limits>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

template <class T>
SAMESUM_INLINE T greater_key(T a, T b) {
    return a > b ? a : b;
}

// `T` is Key, a signed integer for floats, or a vector of them.
template <class T, class Key, bool is_real, bool maximum>
struct Extreme {
    static constexpr bool has_size = is_real;
    static constexpr Key least = std::numeric_limits<Key>::min();
    static constexpr Key magnitude = static_cast<Key>(~least);
    static constexpr Key identity = maximum ? least : magnitude;

    T best, size;  // not negative

    static SAMESUM_INLINE Extreme none() { return {static_cast<T>(T{} + identity), T{}}; }

    // Its own inverse: negative floats, whose integers order backwards, have all bits but the sign flipped.
    static SAMESUM_INLINE T key(T x) {
        if constexpr (!is_real) return x;
        return static_cast<T>(x ^ (static_cast<T>(x >> (8 * sizeof(Key) - 1)) & magnitude));
    }

    static SAMESUM_INLINE T better(T a, T b) { return maximum ? (a > b ? a : b) : (a < b ? a : b); }

    SAMESUM_INLINE void take(T x) {
        if constexpr (is_real && !std::is_integral_v<T>) x = loaded(x);
        best = better(best, key(x));
        if constexpr (is_real) size = greater_key(size, static_cast<T>(x & magnitude));
    }

    SAMESUM_INLINE void join(const Extreme& other) {
        best = better(best, other.best);
        if constexpr (is_real) size = greater_key(size, other.size);
    }

    SAMESUM_INLINE Extreme<Key, Key, is_real, maximum> across() const {
        const auto greater = [](T a, T b) { return greater_key(a, b); };
        return {samesum::SAMESUM_ISA::across(best, [](T a, T b) { return better(a, b); }),
                is_real ? samesum::SAMESUM_ISA::across(size, greater) : Key{0}};
    }

    SAMESUM_INLINE T result(Format format) const {
        if constexpr (!is_real) return best;
        const T nan = static_cast<T>(T{} + static_cast<Key>(canonical_nan(format)));
        return size > static_cast<Key>(infinity_bits(format)) ? nan : key(best);
    }

    // The same of what may have no elements: the infinity that loses to every value. A NaN has this key, too.
    SAMESUM_INLINE T result_or_empty(Format format) const {
        const std::uint64_t infinity = is_real ? infinity_bits(format) : 0;
        if (is_real && best == identity && size <= static_cast<Key>(infinity))
            return static_cast<Key>(infinity | (maximum ? sign_bit(format) : 0));
        return result(format);
    }
};

// Whether all, or any, elements are true: all but zeros of either sign are.

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
