// Softmax and its logarithm of one line of a format narrower than float64. What is added is added in an order
// that the vectors' width does not change, nor whether lines are taken one by one or side by side.
#pragma once

#include <utility>

#include "kernels/logarithm.hpp"
#include "kernels/method.hpp"
#include "kernels/powers.hpp"

namespace samesum::SAMESUM_ISA {

// Elements of a block are added to as many totals, by their index, which are joined by halves.
constexpr std::size_t line_lanes = 16;
// Terms of a lane that are added in floats before they join its double.
constexpr std::size_t lane_terms = 8;
constexpr std::size_t stretch = line_lanes * lane_terms;
static_assert(line_block % stretch == 0);

template <class F>
constexpr bool is_precise = F::format == Format::f32;

// The sum of some powers: in `rest` what is added up in floats before it joins the others.
template <bool precise>
struct LaneSum {
    Halves all = {};
    Singles rest = {};

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
};

// The reciprocal of a total, 2^64 times too large since quotients may be subnormal: they are rounded to float
// before, which costs them another quarter of a unit at most.
template <bool precise>
struct Reciprocal {
    Singles high, low;

    static SAMESUM_INLINE Reciprocal of(Halves total) {
        constexpr double scale = precise ? 0x1p64 : 1;
        const Halves inverse = {scale / total.low, scale / total.high};
        const Singles high = narrowed(inverse);
        const Halves back = widen(high);
        return {high, narrowed(Halves{inverse.low - back.low, inverse.high - back.high})};
    }

    SAMESUM_INLINE Singles times(const Power& p) const {
        if constexpr (precise) {
            const Singles small = fused(p.growth, high, low);
            return fused(p.root, high, p.root * small) * 0x1p-64f;
        } else {
            return fused(p.root, p.growth, p.root) * high;
        }
    }
};

// log of the number c of greatest elements and the sum u of the powers below one.
template <int bits>
SAMESUM_INLINE DoubleWord log_total(Doubles c, DoubleWord u) {
    DoubleWord t, v;
    two_sum(c, u.hi, t.hi, t.lo);
    two_sum(c - 1, u.hi, v.hi, v.lo);
    return logarithm<bits>(ordered_sum(t.hi, t.lo + u.lo), ordered_sum(v.hi, v.lo + u.lo));
}

SAMESUM_INLINE Doubles log_of(Doubles count, Doubles total) {
    constexpr double unit = 1 / static_cast<double>(std::uint64_t{1} << power_scale);
    return log_total<50>(count, {total * unit, Doubles{}}).hi;
}

// (x - most) - log, both negative.
template <bool precise>
SAMESUM_INLINE Singles log_quotient(Singles x, Singles most, Halves log) {
    if constexpr (precise) {
        const Halves v = widen(x), m = widen(most);
        return narrowed(Halves{(v.low - m.low) - log.low, (v.high - m.high) - log.high});
    } else {
        return (x - most) - narrowed(log);
    }
}

// So that x - most is +0 for zeros of either sign.
SAMESUM_INLINE Singles subtrahend(Singles most) { return most == 0 ? -Singles{} : most; }

template <int distance, std::size_t... i>
SAMESUM_INLINE Singles swapped_singles(Singles v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, (i ^ distance)...);
}

template <int distance>
SAMESUM_INLINE Singles greatest_of(Singles v) {
    const Singles other = swapped_singles<distance>(v, std::make_index_sequence<singles>{});
    v = v > other ? v : other;
    if constexpr (distance == 1)
        return v;
    else
        return greatest_of<distance / 2>(v);
}

template <int distance = width / 2>
SAMESUM_INLINE Doubles total_of(Doubles v) {
    v += swapped<distance>(v);
    if constexpr (distance == 1)
        return v;
    else
        return total_of<distance / 2>(v);
}

template <class F>
struct NarrowLine {
    static constexpr bool precise = is_precise<F>;
    static constexpr std::size_t parts = line_lanes / singles;

    static SAMESUM_INLINE Singles at(const char* x, std::size_t i, std::size_t n) {
        const char* p = x + i * F::size;
        return n - i >= singles ? load_singles<F>(p) : load_some<F>(p, n - i);
    }

    static SAMESUM_INLINE void put(void* out, std::size_t i, std::size_t n, Singles v) {
        store_some<F::format>(static_cast<char*>(out) + i * F::size, v, n - i);
    }

    // The greatest element, NaNs apart; -inf if there is none.
    static SAMESUM_INLINE float greatest_of_line(const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        Singles most = Singles{} - __builtin_huge_valf();
        for (std::size_t i = 0; i < n; i += singles) {
            const Singles v = at(p, i, n);
            prefetch<64>(p + i * F::size + prefetch_distance);
            most = v > most ? v : most;
        }
        return greatest_of<singles / 2>(most)[0];
    }

    static float greatest(const void* x, std::size_t n) { return greatest_of_line(x, n); }

    // Lanes joined by halves.
    static SAMESUM_INLINE double joined_total(LaneSum<precise> (&lane)[parts]) {
        Doubles v[2 * parts];
        for (std::size_t k = 0; k < parts; ++k) {
            v[2 * k] = lane[k].all.low;
            v[2 * k + 1] = lane[k].all.high;
        }
        for (std::size_t half = parts; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) v[k] += v[k + half];
        return total_of(v[0])[0];
    }

    // Of n <= line_block elements. `keep` gets the number of each vector and its powers; in the logarithm the
    // greatest elements are counted instead of added.
    template <bool log, class Keep>
    static SAMESUM_INLINE LineShare share_of(const char* x, std::size_t n, float greatest, Keep keep) {
        LaneSum<precise> lane[parts];
        SingleInts equal = {};
        const Singles most = subtrahend(Singles{} + greatest);
        for (std::size_t i = 0; i < n;) {
            const std::size_t end = i + stretch < n ? i + stretch : n;
            for (; i < end; i += line_lanes) {
#pragma GCC unroll 4
                for (std::size_t k = 0; k < parts; ++k) {
                    if (parts > 1 && i + k * singles >= n) break;
                    const Singles v = at(x, i + k * singles, n);
                    Power p = power_of<precise>(v, most);
                    if constexpr (log) {
                        const SingleInts same = v == most;
                        equal -= same;
                        p.root = same ? Singles{} : p.root;
                    }
                    lane[k].add(p);
                    keep(i / singles + k, p);
                }
            }
            for (LaneSum<precise>& l : lane) l.settle();
        }
        std::int64_t count = 0;
        if constexpr (log)
            for (std::size_t k = 0; k < singles; ++k) count += equal[k];
        return {joined_total(lane), count};
    }

    template <bool log>
    static LineShare share(const void* x, std::size_t n, float most) {
        return share_of<log>(static_cast<const char*>(x), n, most, [](std::size_t, const Power&) {});
    }

    static void fill_with_nan(void* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, canonical_nan(F::format), F::size);
    }

    static Reciprocal<precise> reciprocal(const LineShare& all) {
        const Doubles total = Doubles{} + all.total;
        return Reciprocal<precise>::of({total, total});
    }

    template <bool log>
    static void quotients(const void* from, std::size_t n, float greatest, const LineShare& all, void* out) {
        const char* x = static_cast<const char*>(from);
        const Singles most = subtrahend(Singles{} + greatest);
        if constexpr (log) {
            const Doubles one = log_of(Doubles{} + static_cast<double>(all.count), Doubles{} + all.total);
            for (std::size_t i = 0; i < n; i += singles)
                put(out, i, n, log_quotient<precise>(at(x, i, n), most, {one, one}));
        } else {
            const Reciprocal<precise> inverse = reciprocal(all);
            for (std::size_t i = 0; i < n; i += singles)
                put(out, i, n, inverse.times(power_of<precise>(at(x, i, n), most)));
        }
    }

    // Of n <= line_block elements.
    static void softmax_of_block(const char* x, std::size_t n, float most, void* out) {
        Power kept[line_block / singles];
        const LineShare all =
            share_of<false>(x, n, most, [&](std::size_t i, const Power& p) { kept[i] = p; });
        if (all.total != all.total) return fill_with_nan(out, n);
        const Reciprocal<precise> inverse = reciprocal(all);
        for (std::size_t i = 0; i < n; i += singles) put(out, i, n, inverse.times(kept[i / singles]));
    }

    template <bool log>
    static void line(const void* from, std::size_t n, void* out) {
        const char* x = static_cast<const char*>(from);
        const float most = greatest_of_line(x, n);
        if (!(__builtin_fabsf(most) < __builtin_huge_valf())) return fill_with_nan(out, n);
        if (!log && n <= line_block) return softmax_of_block(x, n, most, out);
        LineShare all = {};
        for (std::size_t i = 0; i < n; i += line_block)
            all += share<log>(x + i * F::size, n - i < line_block ? n - i : line_block, most);
        if (all.total != all.total) return fill_with_nan(out, n);
        quotients<log>(x, n, most, all, out);
    }
};

}  // namespace samesum::SAMESUM_ISA
