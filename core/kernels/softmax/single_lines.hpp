// What the normalizations of formats narrower than float64 are made of: sums and quotients of powers in
// floats.
#pragma once

#include "kernels/exponentials/logarithm.hpp"
#include "kernels/exponentials/powers.hpp"
#include "kernels/vectors/fold.hpp"
#include "methods/line_method.hpp"

namespace samesum::SAMESUM_ISA {

// log of the number c of greatest elements and the sum u of the powers below one.
template <int bits>
SAMESUM_INLINE DoubleWord log_total(Doubles c, DoubleWord u) {
    DoubleWord t, v;
    two_sum(c, u.hi, t.hi, t.lo);
    two_sum(c - 1, u.hi, v.hi, v.lo);
    return logarithm<bits>(ordered_sum(t.hi, t.lo + u.lo), ordered_sum(v.hi, v.lo + u.lo));
}

// Of e^top less so many octaves.
SAMESUM_INLINE Sixteenths sixteenths_of(Doubles top, Doubles octaves) {
    return Sixteenths::of(top, to_integer - 16 * octaves);
}

constexpr double single_power_unit = static_cast<double>(std::uint64_t{1} << power_scale);  // a power of 1

// Of totals of powers, for all formats.
inline __attribute__((noinline)) Halves single_logarithms(Halves counts, Halves total) {
    constexpr double scale = 1 / single_power_unit;
    return {log_total<50>(counts.low, {total.low * scale, Doubles{}}).hi,
            log_total<50>(counts.high, {total.high * scale, Doubles{}}).hi};
}

// What is alike in all formats, or `precise`, for float32.
template <bool precise>
struct SingleLineSums {
    using Sums = SingleLineSums;
    static constexpr std::size_t elements = singles, together = vector_bytes == 64 ? 4 : 16 / elements;
    // Where the logarithm is so far above the greatest element, it has lost nothing: its own error, 2^-28 or
    // 2^-22, is little beside the last place of a difference. (Lemma 50)
    static constexpr float distant_logarithm = precise ? 0.5f : 0.125f;
    using Vector = Singles;
    using Mask = SingleInts;
    using Scalar = float;
    using Power = samesum::SAMESUM_ISA::Power;
    using Near = NearZero<SingleRange>;
    using Below = BelowGreatest<SingleRange>;
    using Total = Halves;  // of each line of a vector
    // Zero is -0, and +0 is a positive number that is too small for a float.
    struct Logarithm {
        Halves all;
        Singles high, low;  // their sum

        static SAMESUM_INLINE Logarithm of(Halves found) {
            const Doubles zero = -Doubles{};
            const Halves log{found.low == 0 ? zero : found.low, found.high == 0 ? zero : found.high};
            const Singles high = narrowed(log);
            const Halves back = widen(high);
            return {log, high, narrowed(Halves{log.low - back.low, log.high - back.high})};
        }
    };
    template <std::size_t count, class Against>
    static SAMESUM_INLINE void powers(const Singles (&x)[count], const Against& against, Power (&p)[count]) {
        powers_of<precise>(x, against, p);
    }

    // The sum of some powers: in `rest` what is added up in floats before it joins the others. What it begins
    // with is taken away again: beside it no sum is subnormal, which takes processors long, and what it costs
    // is 2^-32 of the last place of the least logarithm. (Lemma 49)
    static constexpr float nearly_nothing = precise ? 0x1p-100f : 0;
    struct LaneSum {
        Halves all;
        Singles rest;

        SAMESUM_INLINE void begin() {
            all.low = all.high = Doubles{};
            rest = Singles{} + nearly_nothing;
        }

        SAMESUM_INLINE void add(const Power& p) {
            if constexpr (precise) {
                const Halves root = widen(p.root);
                all.low = plus(all.low, root.low);
                all.high = plus(all.high, root.high);
                rest = fused(p.root, p.growth, rest);
            } else {
                rest += fused(p.root, p.growth, p.root);
            }
        }

        SAMESUM_INLINE void settle() {
            const Halves some = widen(rest);
            all.low += some.low - nearly_nothing;
            all.high += some.high - nearly_nothing;
            rest = Singles{} + nearly_nothing;
        }

        SAMESUM_INLINE void join(const LaneSum& other) {
            all.low += other.all.low;
            all.high += other.all.high;
        }

        SAMESUM_INLINE Total total() const { return all; }
    };

    // What the elements of vectors add up to, and the greatest of them.
    struct Across {
        Doubles sum, most;

        static SAMESUM_INLINE Across of(const LaneSum& lane, Singles most) {
            const Halves half = widen(most);
            return {lane.all.low + lane.all.high, samesum::SAMESUM_ISA::greater(half.low, half.high)};
        }
        template <int distance>
        SAMESUM_INLINE Across paired(const Across& other) const {
            return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                    samesum::SAMESUM_ISA::greater(paired_low<distance>(most, other.most),
                                                  paired_high<distance>(most, other.most))};
        }
        SAMESUM_INLINE Doubles total() const { return sum; }
        SAMESUM_INLINE Doubles rest() const { return Doubles{}; }
    };

    // Of both halves.
    static SAMESUM_INLINE Doubles counts(Mask equal) {
        const Halves each = widen(__builtin_convertvector(equal, Singles));
        return each.low + each.high;
    }

    static SAMESUM_INLINE Halves halves(const double* p) {
        return {load<Doubles>(p), load<Doubles>(p + width)};
    }
    static SAMESUM_INLINE Singles vector_of(const double* p) { return narrowed(halves(p)); }
    static SAMESUM_INLINE Total totals(const double* total, const double*) { return halves(total); }

    static SAMESUM_INLINE Total same(const LineShare& all) {
        const Doubles total = Doubles{} + all.total;
        return {total, total};
    }

    static SAMESUM_INLINE Mask is_number(Total total) {
        const Singles sum = narrowed(total);
        return sum == sum;
    }

    static SAMESUM_INLINE Mask is_distant(const Logarithm& log, Singles greatest) {
        return log.high - greatest >= distant_logarithm;
    }

    // Relative to the greatest power, where that is not near zero.
    static SAMESUM_INLINE Total relative(Total total, const Below& below) {
        const Halves top = widen(below.top()), octaves = widen(below.octaves);
        return {total.low / exponential(sixteenths_of(top.low, octaves.low)),
                total.high / exponential(sixteenths_of(top.high, octaves.high))};
    }

    static SAMESUM_INLINE Logarithm logarithm(Mask counts, Total total) {
        return Logarithm::of(single_logarithms(widen(__builtin_convertvector(counts, Singles)), total));
    }

    static SAMESUM_INLINE Logarithm logarithm(std::int64_t count, Total total) {
        const Doubles all = Doubles{} + static_cast<double>(count);
        return Logarithm::of(single_logarithms({all, all}, total));
    }

    static SAMESUM_INLINE Logarithm of_line(const Logarithm& log, std::size_t i) {
        const Doubles same = -Doubles{} + element(log.all, i);
        const Singles none = -Singles{};  // keeps the sign of zeros
        return {{same, same}, none + log.high[i], none + log.low[i]};
    }

    // x - log, which is not next to zero. Half of the additions are multiply-adds by one: other units make
    // them.
    static SAMESUM_INLINE Singles near_quotient(Singles x, const Logarithm& log) {
        if constexpr (!precise) return x - log.high;
        const Singles none = {}, one = none + 1;
        const Singles sum = x - log.high, moved = fused(sum, one, -x);
        const Singles error = fused(moved - sum, one, x) - (log.high + moved);
        return sum > -__builtin_huge_valf() ? fused(sum, one, error - log.low) : sum;
    }

    // (x - most) - log, both negative; +0 where both are zero, and -0 where only the first one is and the
    // second one is too small.
    static SAMESUM_INLINE Singles log_quotient(Singles x, Singles most, const Logarithm& log) {
        const Singles below = most - x;
        if constexpr (!precise && has_fused) return fused(below, Singles{} - 1, -log.high);
        if constexpr (!precise) return -below - log.high;
        const Halves v = widen(x), m = widen(most);
        return narrowed(Halves{(v.low - m.low) - log.all.low, (v.high - m.high) - log.all.high});
    }
};

template <class F>
struct SingleLines : SingleLineSums<F::format == Format::f32> {
    static constexpr Format format = F::format;
    static constexpr bool precise = format == Format::f32;
    using typename SingleLineSums<precise>::Total;
    // Less than half of the least number, by a margin.
    static constexpr double rounded_to_zero = format == Format::f16    ? 0x1p-27
                                              : format == Format::bf16 ? 0x1p-136
                                                                       : 0x1p-152;

    static SAMESUM_INLINE Singles load_whole(const char* p) { return load_singles<F>(p); }
    static SAMESUM_INLINE Singles load_part(const char* p, std::size_t n) { return load_some<F>(p, n); }
    static SAMESUM_INLINE void store_part(char* p, Singles v, std::size_t n) { store_some<format>(p, v, n); }

    // Reciprocals of totals; of float32 2^96 times too large, so that no quotient is subnormal before it is
    // rounded.
    struct Reciprocal {
        Halves inverse;
        Singles high, low;
        Singles least, nothing;  // powers whose quotients are normal, and are rounded to zero

        static SAMESUM_INLINE Reciprocal of(Total total) {
            constexpr double scale = precise ? 0x1p96 : 1, normal = precise ? 0x1.1p-126 : rounded_to_zero;
            const Halves inverse = {scale / total.low, scale / total.high};
            const Singles high = narrowed(inverse);
            const Halves back = widen(high);
            return {inverse, high, narrowed(Halves{inverse.low - back.low, inverse.high - back.high}),
                    narrowed(Halves{total.low * normal, total.high * normal}),
                    narrowed(Halves{total.low * rounded_to_zero, total.high * rounded_to_zero})};
        }

        // What underflows, be it to zero, takes processors long.
        template <std::size_t count>
        SAMESUM_INLINE void times(const Power (&p)[count], Singles (&result)[count]) const {
            const Singles none = {};
            if constexpr (!precise)
                return for_each_of<count>([&](std::size_t k) {
                    const Singles power = fused(p[k].root, p[k].growth, p[k].root);
                    result[k] = (power < least ? none : power) * high;
                });
            Singles smallest = p[0].root;
            for_each_of<count>([&](std::size_t k) { smallest = lesser(smallest, p[k].root); });
            if (any(smallest < least)) return times_small(p, result);
            for_each_of<count>([&](std::size_t k) { result[k] = quotient(p[k]) * 0x1p-96f; });
        }

        template <std::size_t count>
        SAMESUM_INLINE void times_small(const Power (&p)[count], Singles (&result)[count]) const {
            SingleInts some = {};
            for_each_of<count>([&](std::size_t k) {
                const Singles normal = p[k].root < least ? Singles{} : quotient(p[k]);
                some |= is_subnormal(p[k]);
                result[k] = normal * 0x1p-96f;
            });
            if (!any(some)) return;
            for_each_of<count>(
                [&](std::size_t k) { result[k] = is_subnormal(p[k]) ? in_doubles(p[k]) : result[k]; });
        }

        SAMESUM_INLINE Singles quotient(const Power& p) const {
            return fused(p.root, high, p.root * fused(p.growth, high, low));
        }

        SAMESUM_INLINE SingleInts is_subnormal(const Power& p) const {
            return (p.root < least) & (p.root >= nothing);
        }

        SAMESUM_INLINE Reciprocal of_line(std::size_t i) const {
            const Doubles same = Doubles{} + element(inverse, i);
            const Singles none = {};
            return {{same, same}, none + high[i], none + low[i], none + least[i], none + nothing[i]};
        }

        // Rounded once, by integers: what is subnormal takes processors long.
        SAMESUM_INLINE Singles in_doubles(const Power& p) const {
            const Halves root = widen(p.root), growth = widen(p.growth);
            return joined(bits_of(fused(root.low, growth.low, root.low) * inverse.low),
                          bits_of(fused(root.high, growth.high, root.high) * inverse.high));
        }

        // Of what is subnormal, and of 2^-126.
        static SAMESUM_INLINE Floats bits_of(Doubles quotient) {
            const Longs units = reinterpret_cast<Longs>(quotient * 0x1p53 + to_integer);
            return reinterpret_cast<Floats>(__builtin_convertvector(units, Ints));
        }
    };
};

}  // namespace samesum::SAMESUM_ISA
