// Prefix products of short lines that stay in registers (kernels/scans/register_lines.hpp).
#pragma once

#include "kernels/products/plain_products.hpp"
#include "kernels/scans/line_group.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Of float64: double-words, not too great at the end of each line and nowhere too small (what overflows stays
// infinite, or becomes a NaN); a product is right if all that is as near to it as its error rounds to the
// same. `settle` comes after no more than `width` elements: the error of so many is known.
template <class Error>
class ProductPass {
  public:
    using Row = UnsignedLongs;
    static constexpr bool takes_turns = has_fused;  // three multiply-adds for the test

    struct Plan {
        double relative;
        bool usable;
        static constexpr bool reads = false;

        // Products of two need no test, and may be of any size.
        static Plan of(const ShortScanLines&, std::size_t period) {
            return {Error::of_strip(period) + Error::test, period > 2};
        }
    };

    explicit SAMESUM_INLINE ProductPass(const Plan& plan) : relative_(Doubles{} + plan.relative) {}

    SAMESUM_INLINE Row take(Row bits) {
        line_.take(reinterpret_cast<Doubles>(bits));
        smallest_ = lesser_magnitude(smallest_, line_.hi);
        const Doubles one = line_.hi + fused(line_.hi, relative_, line_.lo),
                      other = line_.hi + fused(line_.hi, -relative_, line_.lo);
        wrong_ |= one != other;
        return reinterpret_cast<Row>(one);
    }
    SAMESUM_INLINE void settle() { line_.normalise(); }
    SAMESUM_INLINE void restart() {
        wrong_ |= ~(samesum::SAMESUM_ISA::magnitude(line_.hi) < PlainProducts::greatest);
        line_ = {Doubles{} + 1, Doubles{}, Longs{}};
    }
    SAMESUM_INLINE bool is_certain() const { return !any(wrong_ | (smallest_ < PlainProducts::least)); }

  private:
    Doubles relative_, smallest_ = Doubles{} + PlainProducts::greatest;
    PlainProducts line_{Doubles{} + 1, Doubles{}, Longs{}};
    Longs wrong_ = {};
};

// Of narrower formats: doubles, whose own roundings are few beside a place of the format.
template <class F>
class NarrowProductPass {
  public:
    using Row = BitsOf<F::size>;
    static constexpr bool takes_turns = F::size > 2;  // of 16 bits too many lines have a prefix in doubt

    struct Plan {
        bool usable;
        static constexpr bool reads = false;

        static Plan of(const ShortScanLines&, std::size_t) { return {true}; }
    };

    explicit SAMESUM_INLINE NarrowProductPass(const Plan&) {}

    SAMESUM_INLINE Row take(Row bits) {
        product_ *= F::doubles(reinterpret_cast<const char*>(&bits));
        const auto result = results_.take(product_);
        if constexpr (F::size == 2)
            return __builtin_convertvector(result, Shorts);
        else
            return result;
    }
    SAMESUM_INLINE void settle() {}
    SAMESUM_INLINE void restart() {
        odd_ |= ~(samesum::SAMESUM_ISA::magnitude(product_) < infinity);
        product_ = Doubles{} + 1;
    }
    SAMESUM_INLINE bool is_certain() const { return results_.are_certain() && !any(odd_); }

  private:
    ManyNearby<F::format, short_line> results_;
    Doubles product_ = Doubles{} + 1;
    Longs odd_ = {};
};

}  // namespace samesum::SAMESUM_ISA
