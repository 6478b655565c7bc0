// What the normalizations of float64 are made of, as those of narrower formats are in floats.
#pragma once

#include "kernels/exponentials/powers.hpp"
#include "kernels/softmax/single_lines.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/partial.hpp"

namespace samesum::SAMESUM_ISA {

struct DoubleLines {
    using Sums = DoubleLines;
    static constexpr Format format = Format::f64;
    static constexpr std::size_t elements = width, together = 16 / elements;
    static constexpr double distant_logarithm = 0.125;  // whose own error is 2^-58
    using Vector = Doubles;
    using Mask = Longs;
    using Scalar = double;
    using Power = DoublePower;
    using Near = NearZero<DoubleRange>;
    using Below = BelowGreatest<DoubleRange>;
    using Total = DoubleWord;
    static constexpr double unit = 1 / double_power_unit;  // a power of 1

    static SAMESUM_INLINE Doubles load_whole(const char* p) { return load<Doubles>(p); }

    // -inf from number n on.
    static SAMESUM_INLINE Doubles load_part(const char* p, std::size_t n) {
        return load_doubles(p, n, -infinity);
    }

    static SAMESUM_INLINE void store_part(char* p, Doubles v, std::size_t n) {
        n >= width ? store(p, v) : store_first(p, v, n);
    }

    template <std::size_t count, class Against>
    static SAMESUM_INLINE void powers(const Doubles (&x)[count], const Against& against,
                                      DoublePower (&power)[count]) {
        double_powers_of(x, against, power);
    }

    struct LaneSum {
        Doubles high, low;

        SAMESUM_INLINE void begin() { high = low = Doubles{}; }

        SAMESUM_INLINE void add(const DoublePower& p) {
            const Doubles power = fused(p.root, p.growth, p.root);
            Doubles error;
            balanced_two_sum(high, power, high, error);
            low += error + fused(p.root, p.growth, p.root - power);
        }

        SAMESUM_INLINE void settle() {}  // nothing waits

        SAMESUM_INLINE void join(const LaneSum& other) {
            Doubles error;
            two_sum(high, other.high, high, error);
            low = (low + other.low) + error;
        }

        SAMESUM_INLINE Total total() const { return ordered_sum(high, low); }
    };

    struct Across {
        LaneSum sum;
        Doubles most;

        static SAMESUM_INLINE Across of(const LaneSum& lane, Doubles most) { return {lane, most}; }
        template <int distance>
        SAMESUM_INLINE Across paired(const Across& other) const {
            LaneSum both{paired_low<distance>(sum.high, other.sum.high),
                         paired_low<distance>(sum.low, other.sum.low)};
            both.join({paired_high<distance>(sum.high, other.sum.high),
                       paired_high<distance>(sum.low, other.sum.low)});
            return {both, samesum::SAMESUM_ISA::greater(paired_low<distance>(most, other.most),
                                                        paired_high<distance>(most, other.most))};
        }
        SAMESUM_INLINE Doubles total() const { return sum.high; }
        SAMESUM_INLINE Doubles rest() const { return sum.low; }
    };

    static SAMESUM_INLINE Doubles counts(Longs equal) {
        return reinterpret_cast<Doubles>(equal + __builtin_bit_cast(std::int64_t, to_integer)) - to_integer;
    }

    static SAMESUM_INLINE Doubles vector_of(const double* p) { return load<Doubles>(p); }

    static SAMESUM_INLINE Total totals(const double* total, const double* rest) {
        return ordered_sum(load<Doubles>(total), load<Doubles>(rest));
    }

    static SAMESUM_INLINE Total same(const LineShare& all) {
        return ordered_sum(Doubles{} + all.total, Doubles{} + all.rest);
    }

    static SAMESUM_INLINE Mask is_number(Total total) { return total.hi == total.hi; }

    // Relative to the greatest power, where that is not near zero.
    static SAMESUM_INLINE Total relative(Total total, const Below& below) {
        const Sixteenths k = sixteenths_of(below.top(), below.octaves);
        const DoubleWord power = grown(k.scaled_root(), k.root_error(), growth<68>(k, Doubles{}));
        const Doubles quotient = total.hi / power.hi, rest = fused(-quotient, power.hi, total.hi);
        return ordered_sum(quotient, (rest + fused(-quotient, power.lo, total.lo)) / power.hi);
    }

    // Reciprocals of totals in two words, 2^600 times too large as quotients are before they are rounded.
    // (Lemma 49)
    struct Reciprocal {
        Doubles high, low;
        Doubles least, nothing;  // powers whose quotients are normal, and are rounded to zero

        static SAMESUM_INLINE Reciprocal of(Total total) {
            const Doubles inverse = 1 / total.hi;
            const Doubles rest = fused(-inverse, total.lo, fused(-inverse, total.hi, Doubles{} + 1));
            return {inverse * unit, inverse * rest * unit, total.hi * 0x1p-1021,
                    total.hi * 0x1p-1021 * 0x1p-56};
        }

        template <std::size_t count>
        SAMESUM_INLINE void times(const DoublePower (&p)[count], Doubles (&result)[count]) const {
            Doubles smallest = p[0].root;
            for_each_of<count>([&](std::size_t k) { smallest = lesser(smallest, p[k].root); });
            if (any(smallest < least)) return times_small(p, result);
            for_each_of<count>([&](std::size_t k) { result[k] = quotient(p[k]) * double_power_unit; });
        }

        template <std::size_t count>
        SAMESUM_INLINE void times_small(const DoublePower (&p)[count], Doubles (&result)[count]) const {
            Longs some = {};
            for_each_of<count>([&](std::size_t k) {
                const Doubles q = quotient(p[k]), normal = q < least_quotient ? Doubles{} : q;
                some |= is_subnormal(p[k]);
                result[k] = normal * double_power_unit;
            });
            if (!any(some)) return;
            for_each_of<count>([&](std::size_t k) {
                const Doubles product = p[k].root * high, error = fused(p[k].root, high, -product);
                const Doubles once = subnormal_quotient(product, error + rest(p[k]));
                result[k] = is_subnormal(p[k]) ? once : result[k];
            });
        }

        SAMESUM_INLINE Doubles quotient(const DoublePower& p) const { return fused(p.root, high, rest(p)); }
        SAMESUM_INLINE Doubles rest(const DoublePower& p) const {
            return p.root * fused(p.growth, high, low);
        }
        SAMESUM_INLINE Longs is_subnormal(const DoublePower& p) const {
            return (quotient(p) < least_quotient) & (p.root >= nothing);
        }

        SAMESUM_INLINE Reciprocal of_line(std::size_t i) const {
            const Doubles none = {};
            return {none + high[i], none + low[i], none + least[i], none + nothing[i]};
        }
    };

    // A lone greatest element, with so little besides that the logarithm is nothing else: `rest` is the
    // result for that element, +0 with nothing besides and -0 with what is too small.
    struct Logarithm {
        DoubleWord log;
        Longs alone;
        Doubles rest;
    };

    static __attribute__((noinline)) Logarithm logarithm_of(Doubles count, Total total) {
        const DoubleWord u = {total.hi * double_power_unit, total.lo * double_power_unit};
        const Doubles last =
            total.hi < least_quotient ? subnormal_quotient(total.hi, total.lo) : total.hi * double_power_unit;
        const Doubles none = {};
        return {log_total<67>(count, u), (count == 1) & (u.hi < 0x1p-100), total.hi == 0 ? none : -last};
    }

    static SAMESUM_INLINE Logarithm logarithm(Mask counts, Total total) {
        return logarithm_of(__builtin_convertvector(counts, Doubles), total);
    }

    static SAMESUM_INLINE Logarithm logarithm(std::int64_t count, Total total) {
        return logarithm_of(Doubles{} + static_cast<double>(count), total);
    }

    static SAMESUM_INLINE Logarithm of_line(const Logarithm& by, std::size_t i) {
        const Doubles none = -Doubles{};  // keeps the sign of zeros
        return {{none + by.log.hi[i], none + by.log.lo[i]}, Longs{} + by.alone[i], none + by.rest[i]};
    }

    static SAMESUM_INLINE Mask is_distant(const Logarithm& by, Doubles greatest) {
        return by.log.hi - greatest >= distant_logarithm;
    }

    // x - log, which is not next to zero.
    static SAMESUM_INLINE Doubles near_quotient(Doubles x, const Logarithm& by) {
        Doubles sum, error;
        balanced_two_sum(x, -by.log.hi, sum, error);
        return sum > -infinity ? sum + (error - by.log.lo) : sum;
    }

    static SAMESUM_INLINE Doubles log_quotient(Doubles x, Doubles most, const Logarithm& by) {
        DoubleWord d;
        two_sum(x, -most, d.hi, d.lo);
        Doubles sum, error;
        two_sum(d.hi, -by.log.hi, sum, error);
        const Doubles others = d.hi > -infinity ? sum + (error + (d.lo - by.log.lo)) : d.hi;
        return by.alone ? (d.hi == 0 ? by.rest : d.hi) : others;
    }
};

}  // namespace samesum::SAMESUM_ISA
