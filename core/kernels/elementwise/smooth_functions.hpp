// The logistic function, the hyperbolic tangent and log(1 + e^x), as elementwise.hpp takes functions.
#pragma once

#include "kernels/elementwise/double_words.hpp"
#include "kernels/exponentials/logarithm.hpp"

namespace samesum::SAMESUM_ISA {

// Below it e^x is no normal number of the format, or near that.
template <Format format>
constexpr double least_exponent = format == Format::f16   ? -9.5
                                  : format == Format::f64 ? -600
                                                          : -87;

// Of e^-|x|: the exponential of float64, where what is below 2^-995 counts as zero, is not used below -600.
SAMESUM_INLINE Doubles falling_power(Doubles x) {
    return exponential(-lesser(Doubles{} + 690, samesum::SAMESUM_ISA::magnitude(x)));
}

SAMESUM_INLINE DoubleWord falling_word(Doubles x) {
    return exponential<68>(-lesser(Doubles{} + 690, samesum::SAMESUM_ISA::magnitude(x)), Doubles{});
}

// What is e^x far below zero.
template <class Function>
struct FallingFunction : WordFunction<Function> {
    static constexpr int certain_bits = 46;

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        return any(~(x >= least_exponent<format>));
    }

    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) {
        const DoubleWord y = Function::precise(x);
        return x < -600 ? ExponentialFunction::of_any(x, Doubles{}) : y.hi + y.lo;
    }
};

// 1 / (1 + e^-x): for x < 0 e^x / (1 + e^x).
struct SigmoidFunction : FallingFunction<SigmoidFunction> {
    // The exponential is off by 2^-51, the sum and the quotient by 2^-53. (Lemma 67)
    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles e = falling_power(x), one = Doubles{} + 1;
        return (x < 0 ? e : one) / (one + e);
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles none = {};
        const DoubleWord e = falling_word(x), one = word_of(1.0);
        const DoubleWord y = word_quotient(chosen(x < 0, e, one), word_sum(one, e));
        return chosen(x == x, y, {x, none});
    }
};

// log(1 + e^x): the greater of x and 0, and log(1 + e^-|x|).
struct SoftplusFunction : FallingFunction<SoftplusFunction> {
    // log(1 + e) for e from 0 to 1; above 1/2 it is ln 2 + log((1 + e) / 2).
    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles none = {}, e = falling_power(x);
        const Longs is_large = e > 0.5;
        const Doubles log = logarithm_of_one_plus(is_large ? (e - 1) * 0.5 : e);
        return greater(none, x) + (is_large ? log + 0x1.62e42fefa39efp-1 : log);
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles none = {};
        const DoubleWord e = falling_word(x);
        const DoubleWord log = logarithm<67>(word_sum(word_of(1.0), e), e);
        const DoubleWord y = word_sum(word_of(x > 0 ? x : none), log);
        const Longs is_itself = ~(x < 700);  // infinity and NaN, too
        return chosen(is_itself, {x, none}, y);
    }
};

// e^d - 1 for d <= 0, within 2^-46 of it, relatively.
SAMESUM_INLINE Doubles power_less_one(Doubles d) {
    const Sixteenths k = Sixteenths::of(greater(Doubles{} - 690, d));
    const Doubles root = k.scaled_root();
    return fused(root, growth(k), root - 1);
}

// The same in two words, within 2^-66. (Lemma 67)
SAMESUM_INLINE DoubleWord word_less_one(Doubles d) {
    const Doubles none = {};
    const Longs is_near = d > -1;
    const DoubleWord far = word_sum(exponential<68>(greater(none - 690, d), none), word_of(-1.0));
    return chosen(is_near, exponential_less_one(is_near ? d : none), far);
}

// -m / (2 + m) for m = e^(-2 |x|) - 1, with the sign of x.
struct TanhFunction : WordFunction<TanhFunction> {
    static constexpr int certain_bits = 44;

    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles m = power_less_one(-2 * samesum::SAMESUM_ISA::magnitude(x));
        return with_sign_of(x, m / (2 + m));
    }

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        return any_tiny_or_nan<format>(x);
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles none = {};
        const DoubleWord m = word_less_one(-2 * samesum::SAMESUM_ISA::magnitude(x));
        const DoubleWord y = word_quotient(negative(m), word_sum(word_of(2.0), m));
        const DoubleWord signed_y = chosen(x < 0, negative(y), y);
        return chosen(x == x, with_zeros_of(x, signed_y), {x, none});
    }
};

}  // namespace samesum::SAMESUM_ISA
