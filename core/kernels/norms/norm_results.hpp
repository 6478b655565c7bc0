// The results of a line that is measured, with a rounding test for each.
#pragma once

#include <algorithm>

#include "kernels/norms/norm_singles.hpp"
#include "kernels/norms/spread.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

// Whether results that are off by a constant at most round as the exact ones do, some vectors at a time.

// Into float32: both ends are rounded.
template <Format format>
class MiddleTest {
    const Doubles error_;
    Words different_ = {};

  public:
    explicit SAMESUM_INLINE MiddleTest(double error) : error_(Doubles{} + error * 1.01) {}

    // less(e) is the result less e.
    template <class Less>
    SAMESUM_INLINE Words take(const Less& less) {
        const Words low = Rounding<format>::of_number(less(error_)),
                    high = Rounding<format>::of_number(less(-error_));
        different_ |= low ^ high;
        return low;
    }
    SAMESUM_INLINE bool is_any_in_doubt() const { return any_bit(different_); }
};

// Into 16 bits by way of float32, which holds the middles of two such numbers. The bits below the last place,
// at the top of a word, count from the middle: s units of the float f are |s f| times a power of two, from
// half the distance to all of it. The float is off by half a unit of its own, which is half of the distance
// at most: a result next to a middle is rounded to it.
template <Format format>
class NarrowMiddleTest {
    static constexpr int shift = 32 - (24 - traits_of(format).precision);
    // Of the distance, with a factor of two for numbers beside a power of two, on whose other side the
    // middles are twice as near.
    static constexpr double unit_inverse = __builtin_ldexp(1.0, shift + 26);
    // Numbers that are subnormal in the format, or whose products are in float32, are in doubt.
    static constexpr double least_product =
        std::max(__builtin_ldexp(1.0, traits_of(format).min_exponent + 31), 0x1p-60);

    const Floats limit_;
    Floats nearest_ = Floats{} + __builtin_huge_valf();

  public:
    explicit SAMESUM_INLINE NarrowMiddleTest(double error)
        : limit_(Floats{} + static_cast<float>(std::max(error * unit_inverse, least_product) * 1.01)) {}

    template <class Less>
    SAMESUM_INLINE Words take(const Less& less) {
        const Floats rounded = narrowed(less(Doubles{}));
        const Words from_middle = (reinterpret_cast<Words>(rounded) << shift) + 0x80000000u;
        const Floats steps = __builtin_convertvector(reinterpret_cast<Ints>(from_middle), Floats);
        const Floats distance = samesum::SAMESUM_ISA::magnitude(steps * rounded);
        nearest_ = distance < nearest_ ? distance : nearest_;
        return Rounding<format>::of_float(rounded);
    }
    SAMESUM_INLINE bool is_any_in_doubt() const {
        return any_bit(reinterpret_cast<Words>(nearest_ <= limit_));
    }
};
template <>
class MiddleTest<Format::f16> : public NarrowMiddleTest<Format::f16> {
    using NarrowMiddleTest::NarrowMiddleTest;
};
template <>
class MiddleTest<Format::bf16> : public NarrowMiddleTest<Format::bf16> {
    using NarrowMiddleTest::NarrowMiddleTest;
};

// The line's numbers in vectors, and what the error of a result is made of: a part of its magnitude, and what
// its scale and bias, or the greatest ones, make of the offset's and the inverse's.
template <class Out, bool is_wide>
struct NormResults {
    using Round = Rounding<Out::format>;
    struct Bounded {
        typename Round::Bits bits;
        Words doubt;
    };

    Doubles centre, offset, offset_rest, inverse, inverse_rest, shift;
    Doubles factor, term;  // of each deviation from the centre, with the same scale and bias for all
    Doubles constant_error, relative_error, scale_error, bias_error;

    SAMESUM_INLINE NormResults(const NormLine& l, const NormScale& by)
        : centre(Doubles{} + l.centre),
          offset(Doubles{} + l.offset),
          offset_rest(Doubles{} + l.offset_rest),
          inverse(Doubles{} + l.inverse),
          inverse_rest(Doubles{} + l.inverse_rest),
          shift(Doubles{} - l.offset * l.inverse),
          factor(inverse * by.scale[0]),
          term(roughly_fused(shift, Doubles{} + by.scale[0], Doubles{} + by.bias[0])) {
        const double unit = is_wide ? words_error : 0x1p-50, part = l.inverse_error + unit,
                     shift_error = (l.offset_error + samesum::magnitude(l.offset) * unit) * l.inverse;
        scale_error = Doubles{} + shift_error * spread_slack;
        bias_error = Doubles{} + part * spread_slack;
        constant_error = (by.scale_most * scale_error + by.bias_most * bias_error) * spread_slack;
        relative_error = Doubles{} + (part + unit) * spread_slack;
    }

    SAMESUM_INLINE Doubles error_of(Doubles w) const {
        return roughly_fused(samesum::SAMESUM_ISA::magnitude(w), relative_error, constant_error);
    }
    SAMESUM_INLINE Doubles error_of(Doubles w, Doubles scale, Doubles bias) const {
        using samesum::SAMESUM_ISA::magnitude;
        return (magnitude(w) * relative_error + magnitude(scale) * scale_error +
                magnitude(bias) * bias_error) *
               spread_slack;
    }

    // Five operations, each off by a unit in the last place; what is scaled is at most the result and the
    // bias. (Lemma 57)
    SAMESUM_INLINE Doubles value(Doubles x, Doubles scale, Doubles bias) const {
        return roughly_fused(roughly_fused(x - centre, inverse, shift), scale, bias);
    }
    SAMESUM_INLINE Doubles value(Doubles x) const { return roughly_fused(x - centre, factor, term); }

    static SAMESUM_INLINE Bounded tested(Doubles w, Doubles error) {
        const auto low = Round::of_number(w - error), high = Round::of_number(w + error);
        return {low, Round::different(low, high) | narrowed_mask(w != w)};
    }

    SAMESUM_INLINE Bounded wide(Doubles x, Doubles scale, Doubles bias) const {
        Doubles a, a_rest, t, t_rest, w, w_rest;
        two_sum(x, -centre, a, a_rest);
        two_sum(a, -offset, t, t_rest);
        two_sum(t, t_rest + (a_rest - offset_rest), t, t_rest);
        const Doubles v = t * inverse, v_rest = fused(t, inverse, -v) + (t * inverse_rest + t_rest * inverse);
        const Doubles scaled = v * scale, scaled_rest = fused(v, scale, -scaled) + v_rest * scale;
        two_sum(scaled, bias, w, w_rest);
        w_rest += scaled_rest;
        const Doubles error = error_of(w), size = samesum::SAMESUM_ISA::magnitude(v),
                      scaled_size = samesum::SAMESUM_ISA::magnitude(scaled);
        const auto low = Round::of(w, w_rest - error), high = Round::of(w, w_rest + error);
        // Below these the low words may have been lost.
        const Longs tiny = ((size < safe_floor) & (t != 0)) |
                           ((scaled_size < safe_floor) & (v != 0) & (scale != 0)) |
                           ~(samesum::SAMESUM_ISA::magnitude(w) <= safe_ceiling);
        return {low, Round::different(low, high) | narrowed_mask(tiny)};
    }
};

// Some thousand of them at most; `each` has a scale and a bias of its own.
template <class F, class Out, bool is_wide, bool each>
struct NormRun {
    using Results = NormResults<Out, is_wide>;
    using Round = typename Results::Round;
    using Bounded = typename Results::Bounded;

    const NormLine& line;
    const Results results;
    const char* x;
    const NormScale by;
    char* out;
    std::uint16_t* doubtful;
    std::size_t found = 0;

    SAMESUM_INLINE Doubles scale(std::size_t i, std::size_t left) const {
        return each ? first_doubles<Float64>(reinterpret_cast<const char*>(by.scale + i), left)
                    : Doubles{} + by.scale[0];
    }
    SAMESUM_INLINE Doubles bias(std::size_t i, std::size_t left) const {
        return each ? first_doubles<Float64>(reinterpret_cast<const char*>(by.bias + i), left)
                    : Doubles{} + by.bias[0];
    }
    SAMESUM_INLINE void note(Words doubt, std::size_t i, std::size_t left) {
        for (std::size_t k = 0; k < std::min(left, width); ++k)
            if (doubt[k] != 0) doubtful[found++] = static_cast<std::uint16_t>(i + k);
    }

    SAMESUM_INLINE void put(const Bounded& result, std::size_t i, std::size_t left) {
        if (left >= width) {
            Round::store_to(out, i, result.bits);
        } else {
            char last[width * Out::size];
            Round::store_to(last, 0, result.bits);
            std::memcpy(out + i * Out::size, last, left * Out::size);
        }
        if (any_bit(result.doubt)) note(result.doubt, i, left);
    }

    // Elements [i, end), each with its own bound.
    __attribute__((noinline)) void settle(std::size_t i, std::size_t end) {
        for (; i < end; i += width) {
            const std::size_t left = end - i;
            const Doubles element = first_doubles<F>(x + i * F::size, left), s = scale(i, left),
                          b = bias(i, left);
            if constexpr (is_wide) {
                put(results.wide(element, s, b), i, left);
            } else {
                const Doubles w = each ? results.value(element, s, b) : results.value(element);
                put(Results::tested(w, results.error_of(w, s, b)), i, left);
            }
        }
    }

    static constexpr bool has_singles =
        has_fused && !is_wide && F::format == Format::f32 && Out::format == Format::f32;

    SAMESUM_INLINE std::size_t run(std::size_t n) {
        std::size_t i = 0;
        if constexpr (has_singles) i = run_singles(n);
        if constexpr (!is_wide) i = run_together(i, n);
        settle(i, n);
        return found;
    }

    // Whatever the elements are, and however few `line.most` holds for.
    SAMESUM_INLINE std::size_t run_any(std::size_t n) {
        settle(run_single_sums(n, line.most), n);
        return found;
    }

    // In words of float32, as far as they serve.
    SAMESUM_INLINE std::size_t run_singles(std::size_t n) {
        constexpr double likely = 8;  // of elements over the deviation
        // A sum that cancels may give an offset of 0 that is off by its bound.
        const bool is_product =
            line.centre == 0 && line.offset == 0 && line.offset_error == 0 && by.bias_most == 0;
        if (is_product && (!each || by.singles != nullptr)) {
            using Products = SingleProducts<each>;
            const double factor = each ? results.inverse[0] : results.factor[0],
                         most = line.most * (each ? 1 : by.scale_most), error = results.relative_error[0];
            if (!Products::serves(factor, error, most)) return 0;
            return take_singles(Products(factor, error, by.singles), n);
        }
        if constexpr (each)
            return 0;
        else
            return run_single_sums(n, std::min(line.most, likely));
    }

    SAMESUM_INLINE std::size_t run_single_sums(std::size_t n, double likely) {
        const double factor = results.factor[0], term = term_about_zero()[0],
                     size = std::max(by.scale_most * likely + by.bias_most, 2 * samesum::magnitude(term)) *
                            spread_slack;
        if (!SingleSums::serves(factor, size)) return 0;
        SingleSums sums(factor, term, size);
        sums.allow(term, error_about_zero(sums.most()));
        return take_singles(sums, n);
    }

    template <class Kernel>
    SAMESUM_INLINE std::size_t take_singles(const Kernel& kernel, std::size_t n) {
        return samesum::SAMESUM_ISA::take_singles(
            kernel, x, n, out, [&](std::size_t i, std::size_t end) SAMESUM_INLINED { settle(i, end); });
    }

    // The line is not taken about its centre, which saves an operation and makes errors larger where that is
    // far from zero; of results of `most` at most. (Lemma 57)
    SAMESUM_INLINE double error_about_zero(double most) const {
        const double centre =
            (samesum::magnitude(line.centre) + samesum::magnitude(line.offset)) * line.inverse;
        return results.relative_error[0] * most + results.constant_error[0] +
               by.scale_most * centre * 0x1p-50;
    }
    SAMESUM_INLINE Doubles shift_about_zero() const { return results.shift - line.centre * line.inverse; }
    SAMESUM_INLINE Doubles term_about_zero() const {
        return roughly_fused(shift_about_zero(), Doubles{} + by.scale[0], Doubles{} + by.bias[0]);
    }

    // From element i on, some vectors at a time, with the largest error of any; returns where they end.
    SAMESUM_INLINE std::size_t run_together(std::size_t i, std::size_t n) {
        constexpr std::size_t vectors = 4, together = vectors * width;
        const double most = by.scale_most * line.most + by.bias_most, error = error_about_zero(most);
        if (!(most < 0x1p100)) return i;
        // In registers: what is stored could change what is pointed to.
        const NormScale own = by;
        const Doubles inverse = results.inverse, shift = shift_about_zero(), factor = results.factor,
                      term = term_about_zero();
        const char* const from = x;
        char* const to = out;
        for (; i + together <= n; i += together) {
            MiddleTest<Out::format> test(error);
            for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED {
                const std::size_t at = i + k * width;
                const Doubles element = F::doubles(from + at * F::size);
                const auto less = [&](Doubles e) SAMESUM_INLINED {
                    if constexpr (!each) return roughly_fused(element, factor, term - e);
                    return roughly_fused(roughly_fused(element, inverse, shift),
                                         load<Doubles>(own.scale + at), load<Doubles>(own.bias + at)) -
                           e;
                };
                Round::store_to(to, at, test.take(less));
            });
            if (test.is_any_in_doubt()) settle(i, i + together);
        }
        return i;
    }
};

}  // namespace samesum::SAMESUM_ISA
