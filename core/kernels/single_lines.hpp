// What the normalizations of formats narrower than float64 are made of: sums and quotients of powers in
// floats.
#pragma once

#include <utility>

#include "kernels/line_method.hpp"
#include "kernels/logarithm.hpp"
#include "kernels/powers.hpp"

namespace samesum::SAMESUM_ISA {

// log of the number c of greatest elements and the sum u of the powers below one.
template <int bits>
SAMESUM_INLINE DoubleWord log_total(Doubles c, DoubleWord u) {
    DoubleWord t, v;
    two_sum(c, u.hi, t.hi, t.lo);
    two_sum(c - 1, u.hi, v.hi, v.lo);
    return logarithm<bits>(ordered_sum(t.hi, t.lo + u.lo), ordered_sum(v.hi, v.lo + u.lo));
}

// Elements change places with those at this distance, in blocks of it.
template <int distance, std::size_t... i>
SAMESUM_INLINE Singles swapped_singles(Singles v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, (i ^ distance)...);
}

// The greatest element, in every element.
template <int distance = singles / 2>
SAMESUM_INLINE Singles greatest_of(Singles v) {
    const Singles other = swapped_singles<distance>(v, std::make_index_sequence<singles>{});
    v = greater(v, other);
    if constexpr (distance == 1)
        return v;
    else
        return greatest_of<distance / 2>(v);
}

// e^top less so many sixteenths of ln 2.
SAMESUM_INLINE DoubleWord power_of(Doubles top, Doubles sixteenths) {
    const Sixteenths k = Sixteenths::of(top, to_integer - sixteenths);
    return grown(k.scaled_root(), k.root_error(), growth<68>(k, Doubles{}));
}

// Where the sum of powers is at least so much more than the greatest of them, its logarithm has lost nothing:
// no result is next to zero.
constexpr float distant_logarithm = 0.75f;

template <class F>
struct SingleLines {
    static constexpr Format format = F::format;
    static constexpr bool precise = format == Format::f32;
    static constexpr std::size_t elements = singles, together = vector_bytes == 64 ? 4 : 16 / elements;
    using Vector = Singles;
    using Mask = SingleInts;
    using Scalar = float;
    using Power = samesum::SAMESUM_ISA::Power;
    using Near = NearZero;
    using Below = BelowGreatest;
    using Total = Halves;  // of each line of a vector
    using Logarithm = Halves;
    static constexpr double unit = static_cast<double>(std::uint64_t{1} << power_scale);  // a power of 1

    static SAMESUM_INLINE Singles load_whole(const char* p) { return load_singles<F>(p); }
    static SAMESUM_INLINE Singles load_part(const char* p, std::size_t n) { return load_some<F>(p, n); }
    static SAMESUM_INLINE void store_part(char* p, Singles v, std::size_t n) { store_some<format>(p, v, n); }

    template <std::size_t count, class Against>
    static SAMESUM_INLINE void powers(const Singles (&x)[count], const Against& against, Power (&p)[count]) {
        powers_of<precise>(x, against, p);
    }

    // The sum of some powers: in `rest` what is added up in floats before it joins the others.
    struct LaneSum {
        Halves all;
        Singles rest;

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
            all.low += some.low;
            all.high += some.high;
            rest = Singles{};
        }

        SAMESUM_INLINE void join(const LaneSum& other) {
            all.low += other.all.low;
            all.high += other.all.high;
        }

        SAMESUM_INLINE Total total() const { return all; }

        // Of all elements.
        SAMESUM_INLINE LineShare across() const { return {total_of(all.low + all.high)[0]}; }
    };

    template <int distance = width / 2>
    static SAMESUM_INLINE Doubles total_of(Doubles v) {
        v += swapped<distance>(v);
        if constexpr (distance == 1)
            return v;
        else
            return total_of<distance / 2>(v);
    }

    static SAMESUM_INLINE Total totals(const double* total, const double*) {
        return {load<Doubles>(total), load<Doubles>(total + width)};
    }

    static SAMESUM_INLINE Total same(const LineShare& all) {
        const Doubles total = Doubles{} + all.total;
        return {total, total};
    }

    static SAMESUM_INLINE Mask is_number(Total total) {
        const Singles sum = narrowed(total);
        return sum == sum;
    }

    static SAMESUM_INLINE Mask is_near(Total total) {
        const Singles sum = narrowed(total);
        return (sum >= static_cast<float>(Near::least_sum)) & (sum < static_cast<float>(Near::most_sum));
    }

    static SAMESUM_INLINE Mask is_distant(const Logarithm& log, Singles greatest) {
        return narrowed(log) - greatest >= distant_logarithm;
    }

    // Relative to the greatest power, where that is not near zero.
    static SAMESUM_INLINE Total relative(Total total, const Below& below) {
        const Halves top = widen(below.top()), sixteenths = widen(below.sixteenths);
        return {total.low / power_of(top.low, sixteenths.low).hi,
                total.high / power_of(top.high, sixteenths.high).hi};
    }

    // Reciprocals of totals, 2^64 times too large: so that subnormal quotients are seen before they are
    // rounded.
    struct Reciprocal {
        Halves inverse;
        Singles high, low;

        static SAMESUM_INLINE Reciprocal of(Total total) {
            constexpr double scale = precise ? 0x1p64 : 1;
            const Halves inverse = {scale / total.low, scale / total.high};
            const Singles high = narrowed(inverse);
            const Halves back = widen(high);
            return {inverse, high, narrowed(Halves{inverse.low - back.low, inverse.high - back.high})};
        }

        template <std::size_t count>
        SAMESUM_INLINE void times(const Power (&p)[count], Singles (&result)[count]) const {
            if constexpr (!precise)
                return for_each_of<count>(
                    [&](std::size_t k) { result[k] = fused(p[k].root, p[k].growth, p[k].root) * high; });
            Singles quotient[count];
            SingleInts subnormal = {};
            for_each_of<count>([&](std::size_t k) {
                quotient[k] = fused(p[k].root, high, p[k].root * fused(p[k].growth, high, low));
                subnormal |= is_subnormal(quotient[k]);
                result[k] = quotient[k] * 0x1p-64f;
            });
            if (!any(subnormal)) return;
            for_each_of<count>(
                [&](std::size_t k) { result[k] = is_subnormal(quotient[k]) ? in_doubles(p[k]) : result[k]; });
        }

        // Even less is zero.
        static SAMESUM_INLINE SingleInts is_subnormal(Singles quotient) {
            return (quotient < 0x1p-62f) & (quotient > 0x1p-88f);
        }

        SAMESUM_INLINE Reciprocal of_line(std::size_t i) const {
            const Doubles same = Doubles{} + (i < width ? inverse.low : inverse.high)[i % width];
            return {{same, same}, Singles{} + high[i], Singles{} + low[i]};
        }

        // Rounded once.
        SAMESUM_INLINE Singles in_doubles(const Power& p) const {
            const Halves root = widen(p.root), growth = widen(p.growth);
            return narrowed(Halves{fused(root.low, growth.low, root.low) * inverse.low * 0x1p-64,
                                   fused(root.high, growth.high, root.high) * inverse.high * 0x1p-64});
        }
    };

    static SAMESUM_INLINE Logarithm logarithm(Mask counts, Total total) {
        const Halves c = widen(__builtin_convertvector(counts, Singles));
        return {log_of(c.low, total.low), log_of(c.high, total.high)};
    }

    static SAMESUM_INLINE Logarithm logarithm(std::int64_t count, Total total) {
        const Doubles log = log_of(Doubles{} + static_cast<double>(count), total.low);
        return {log, log};
    }

    static SAMESUM_INLINE Logarithm of_line(const Logarithm& log, std::size_t i) {
        const Doubles same = Doubles{} + (i < width ? log.low : log.high)[i % width];
        return {same, same};
    }

    static SAMESUM_INLINE Doubles log_of(Doubles count, Doubles total) {
        return log_total<50>(count, {total * (1 / unit), Doubles{}}).hi;
    }

    // (x - most) - log, both negative.
    static SAMESUM_INLINE Singles log_quotient(Singles x, Singles most, const Logarithm& log) {
        if constexpr (!precise) return (x - most) - narrowed(log);
        const Halves v = widen(x), m = widen(most);
        return narrowed(Halves{(v.low - m.low) - log.low, (v.high - m.high) - log.high});
    }
};

}  // namespace samesum::SAMESUM_ISA
