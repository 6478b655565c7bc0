// Normalizations of lines: float64 for the narrow formats, double-words for float64 and for what float64
// leaves in doubt, and a rounding test for each result.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/norms/norm_measure.hpp"
#include "kernels/norms/spread.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of F, results of Out.
template <class F, class Part, class Out = F>
struct NormLines {
    static constexpr bool is_wide = std::is_same_v<Part, WideSpread>;
    using Round = Rounding<Out::format>;

    static SAMESUM_INLINE Doubles some(const char* p, std::size_t n) { return Spread<F, Part>::some(p, n); }

    // `mask` clears the signs, or nothing.
    static SAMESUM_INLINE Part part_of(const char* p, std::size_t n, double centre, Longs mask) {
        return Spread<F, Part>::part_of(p, n, centre, [=](Doubles x) SAMESUM_INLINED {
            return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & mask);
        });
    }

    // Lines in blocks: the shorter they are, the fewer results are in doubt.
    static constexpr std::size_t line_block = 1024;
    static SAMESUM_INLINE void add_line(const char* x, std::size_t n, double centre, Longs mask,
                                        SpreadTile::Totals& t) {
        for (std::size_t i = 0; i < n; i += line_block) {
            const std::size_t now = std::min(line_block, n - i);
            folded_alone(part_of(x + i * F::size, now, centre, mask))
                .add_to(t, static_cast<double>(now), Spread<F, Part>::depth_of(now));
        }
    }

    // Of inverses: what is scaled in single doubles neither underflows nor overflows.
    static constexpr double range = std::is_same_v<Part, WideSpread> ? 0x1p1000 : 0x1p300;

    static void measure(const NormRow& row, const char* const* x, std::size_t n, std::size_t count,
                        NormLine* lines) {
        const Longs mask = Longs{} + (row.divisor == Divisor::magnitudes ? INT64_MAX : -1);
        const double elements = static_cast<double>(n);
        const auto centre_of = [&](std::size_t k) { return row.centred ? some(x[k], 1)[0] : 0.0; };
        std::size_t k = 0;
        for (; k + width <= count && n <= block_elements; k += width) {
            Part part[width];
            SpreadTile::Totals t = {};
            for (std::size_t r = 0; r < width; ++r) {
                t.centre[r] = centre_of(k + r);
                part[r] = part_of(x[k + r], n, t.centre[r], mask);
            }
            folded_rows(part).add_to(t, elements, Spread<F, Part>::depth_of(n));
            NormMeasure::put(row, t, elements, range, width, lines + k);
        }
        for (; k < count; ++k) {
            SpreadTile::Totals t = {};
            t.centre += centre_of(k);
            add_line(x[k], n, t.centre[0], mask, t);
            NormMeasure::put(row, t, elements, range, 1, lines + k);
        }
    }

    struct Bounded {
        typename Round::Bits bits;
        Words doubt;
    };

    // The line's numbers in vectors, and what the error of a result is made of: a part of its magnitude, and
    // what its scale and bias, or the greatest ones, make of the offset's and the inverse's.
    struct Line {
        Doubles centre, offset, offset_rest, inverse, inverse_rest, shift;
        Doubles factor, term;  // of each deviation from the centre, with the same scale and bias for all
        Doubles constant_error, relative_error, scale_error, bias_error;

        SAMESUM_INLINE Line(const NormLine& l, const NormScale& by)
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
            return {low, Round::different(low, high)};
        }
        // Formats of 16 bits by way of float32: its own rounding is part of the error.
        SAMESUM_INLINE Bounded narrow(Doubles w) const {
            if constexpr (Out::size == 4) {
                return tested(w, error_of(w));
            } else {
                const Doubles error = roughly_fused(samesum::SAMESUM_ISA::magnitude(w),
                                                    relative_error + 0x1p-23, constant_error + 0x1p-140);
                const Words low = Round::of_float(narrowed(w - error)),
                            high = Round::of_float(narrowed(w + error));
                return {low, Round::different(low, high)};
            }
        }

        SAMESUM_INLINE Bounded wide(Doubles x, Doubles scale, Doubles bias) const {
            Doubles a, a_rest, t, t_rest, w, w_rest;
            two_sum(x, -centre, a, a_rest);
            two_sum(a, -offset, t, t_rest);
            two_sum(t, t_rest + (a_rest - offset_rest), t, t_rest);
            const Doubles v = t * inverse,
                          v_rest = fused(t, inverse, -v) + (t * inverse_rest + t_rest * inverse);
            const Doubles scaled = v * scale, scaled_rest = fused(v, scale, -scaled) + v_rest * scale;
            two_sum(scaled, bias, w, w_rest);
            w_rest += scaled_rest;
            const Doubles error = error_of(w), size = samesum::SAMESUM_ISA::magnitude(v),
                          scaled_size = samesum::SAMESUM_ISA::magnitude(scaled);
            const auto low = Round::of(w, w_rest - error), high = Round::of(w, w_rest + error);
            // Below these the low words may have been lost.
            const Longs tiny = ((size < safe_floor) & (t != 0)) |
                               ((scaled_size < safe_floor) & (v != 0) & (scale != 0)) |
                               (samesum::SAMESUM_ISA::magnitude(w) > safe_ceiling);
            return {low, Round::different(low, high) | narrowed_mask(tiny)};
        }
    };

    template <bool each>
    struct Run {
        const Line& line;
        const char* x;
        const NormScale& by;
        char* out;
        std::uint16_t* doubtful;
        std::size_t found = 0;

        SAMESUM_INLINE Doubles scale(std::size_t i, std::size_t left) const {
            return each ? some_doubles(by.scale + i, left) : Doubles{} + by.scale[0];
        }
        SAMESUM_INLINE Doubles bias(std::size_t i, std::size_t left) const {
            return each ? some_doubles(by.bias + i, left) : Doubles{} + by.bias[0];
        }
        SAMESUM_INLINE Doubles value(std::size_t i, std::size_t left) const {
            const Doubles element = some(x + i * F::size, left);
            if constexpr (!each) return line.value(element);
            return line.value(element, scale(i, left), bias(i, left));
        }

        SAMESUM_INLINE void note(Words doubt, std::size_t i, std::size_t left) {
            for (std::size_t k = 0; k < std::min(left, width); ++k)
                if (doubt[k] != 0) doubtful[found++] = static_cast<std::uint16_t>(i + k);
        }

        SAMESUM_INLINE void put(const typename Round::Bits& bits, std::size_t i, std::size_t left) const {
            if (left >= width) return Round::store_to(out, i, bits);
            char last[width * Out::size];
            Round::store_to(last, 0, bits);
            std::memcpy(out + i * Out::size, last, left * Out::size);
        }

        // Whole vectors together: most often none of them is in doubt.
        template <std::size_t vectors>
        SAMESUM_INLINE void take(std::size_t i) {
            Doubles w[vectors];
            Words doubt[vectors], any = {};
            for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED {
                w[k] = value(i + k * width, width);
                const Bounded result = line.narrow(w[k]);
                Round::store_to(out, i + k * width, result.bits);
                doubt[k] = result.doubt;
                any |= result.doubt;
            });
            if (!any_bit(any)) return;
            for (std::size_t k = 0; k < vectors; ++k)
                if (any_bit(doubt[k])) settle(w[k], i + k * width, width);
        }

        void settle(Doubles w, std::size_t i, std::size_t left) {
            const Bounded result = Line::tested(w, line.error_of(w, scale(i, left), bias(i, left)));
            put(result.bits, i, left);
            note(result.doubt, i, left);
        }

        SAMESUM_INLINE std::size_t run(std::size_t n) {
            constexpr std::size_t together = 4;
            std::size_t i = 0;
            if constexpr (is_wide) {
                for (; i < n; i += width) {
                    const std::size_t left = n - i;
                    const Bounded result =
                        line.wide(some(x + i * F::size, left), scale(i, left), bias(i, left));
                    put(result.bits, i, left);
                    if (any_bit(result.doubt)) note(result.doubt, i, left);
                }
            } else {
                for (; i + together * width <= n; i += together * width) take<together>(i);
                for (; i < n; i += width) settle(value(i, n - i), i, n - i);
            }
            return found;
        }
    };

    static SAMESUM_INLINE Doubles some_doubles(const double* p, std::size_t n) {
        if (n >= width) return load<Doubles>(p);
        Doubles v = {};
        std::memcpy(&v, p, n * sizeof(double));
        return v;
    }

    static std::size_t finish(const NormLine& line, const char* x, std::size_t n, const NormScale& by,
                              void* out, std::uint16_t* doubtful) {
        char* const to = static_cast<char*>(out);
        const Line numbers(line, by);
        if (by.each) return Run<true>{numbers, x, by, to, doubtful}.run(n);
        return Run<false>{numbers, x, by, to, doubtful}.run(n);
    }
};

}  // namespace samesum::SAMESUM_ISA
