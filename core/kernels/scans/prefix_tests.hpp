// What becomes of the prefixes of a block of a row once they are known within a bound.
#pragma once

#include "kernels/scans/prefixes.hpp"

namespace samesum::SAMESUM_ISA {

// They are written rounded, and it is told whether all of them are certain.
template <Format format>
class RoundedPrefixes {
  public:
    explicit SAMESUM_INLINE RoundedPrefixes(void* out) : out_(out) {}

    // n or a whole vector of prefixes, from number i on.
    SAMESUM_INLINE void take_exact(std::size_t i, std::size_t n, Doubles value) {
        store_prefixes<format>(out_, i, n, Round::of_number(value));
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t n, Doubles value, double bound) {
        put(i, n, Round::of_number(value - bound), Round::of_number(value + bound));
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t n, Doubles high, Doubles low, double bound) {
        put(i, n, Round::of(high, low - bound), Round::of(high, low + bound));
    }
    SAMESUM_INLINE bool are_certain() const { return !any_bit(wrong_); }

  private:
    using Round = Rounding<format>;
    using Bits = typename Round::Bits;

    SAMESUM_INLINE void put(std::size_t i, std::size_t n, Bits least, Bits greatest) {
        wrong_ |= Round::different(least, greatest);
        store_prefixes<format>(out_, i, n, least);
    }

    void* const out_;
    Words wrong_ = {};
};

// They are written as they are, each hi + lo with its bound, for the tests of the bounds.
struct KnownPrefixes {
    double *hi, *lo, *bound;  // with room for whole vectors

    SAMESUM_INLINE void take_exact(std::size_t i, std::size_t, Doubles value) const {
        put(i, value, Doubles{}, 0);
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t, Doubles value, double known) const {
        put(i, value, Doubles{}, known);
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t, Doubles high, Doubles low, double known) const {
        put(i, high, low, known);
    }
    static SAMESUM_INLINE bool are_certain() { return true; }

  private:
    SAMESUM_INLINE void put(std::size_t i, Doubles high, Doubles low, double known) const {
        store(hi + i, high);
        store(lo + i, low);
        store(bound + i, Doubles{} + known);
    }
};

}  // namespace samesum::SAMESUM_ISA
