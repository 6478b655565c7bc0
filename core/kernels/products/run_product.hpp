// The product of a run of contiguous elements, in lanes.
#pragma once

#include "kernels/products/factors.hpp"
#include "kernels/products/ranged_product.hpp"
#include "kernels/vectors/fold.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct RunProduct {
    static constexpr std::size_t chains = 4, group = chains * packed<F> * width;
    // Multiplications of one lane until it is normalised: products stay far below the largest double.
    static constexpr std::size_t steps = 256;
    static constexpr std::size_t most = steps * group;

    Factors lanes;  // products of no more than `chains` that are normalised
    Longs marks;
    std::size_t longest;  // multiplications in one chain, at most

    // take(k, x) for the chain k and each packed product x of `count` groups.
    template <class Take>
    static SAMESUM_INLINE void each_packed(const char* p, std::size_t count, const Take& take) {
        constexpr std::size_t vector = width * F::size, step = vector * packed<F>;
        for (std::size_t i = 0; i < count; ++i, p += chains * step) {
            prefetch_run<chains * step>(p);
            for (std::size_t k = 0; k < chains; ++k)
                take(k, packed_product<F, packed<F>>(p + k * step, vector));
        }
    }

    // False if they left the range of a double.
    static SAMESUM_INLINE bool multiply_in_range(const char* p, std::size_t count, Factors (&lane)[chains]) {
        RangedProduct products[chains];
        for (std::size_t k = 0; k < chains; ++k) products[k] = RangedProduct::of(lane[k]);
        each_packed(p, count, [&](std::size_t k, Doubles x) { products[k].take(x); });
        Longs in_range = products[0].is_in_range();
        for (const RangedProduct& each : products) in_range &= each.is_in_range();
        if (any(~in_range)) return false;
        for (std::size_t k = 0; k < chains; ++k) lane[k] = products[k].factors(lane[k].exponent);
        return true;
    }

    // With the exponents apart; false if not all of them were ordinary.
    static bool multiply_apart(const char* p, std::size_t count, Factors (&lane)[chains]) {
        Longs odd = {};
        each_packed(p, count, [&](std::size_t k, Doubles x) { multiply_ordinary(lane[k], odd, x); });
        for (Factors& each : lane) {
            each.exponent -= static_cast<std::int64_t>(count) * field_bias;
            each.normalise();
        }
        return !any_negative(odd);
    }

    // `count` groups of chains * packed vectors into lanes that are normalised, before and after; false if
    // not all of it was ordinary.
    static SAMESUM_INLINE bool multiply_groups(const char* p, std::size_t count, Factors (&lane)[chains]) {
        for (std::size_t now; count > 0; count -= now, p += now * group * F::size) {
            now = count < RangedProduct::steps ? count : RangedProduct::steps;
            if (!multiply_in_range(p, now, lane)) return multiply_apart(p, count, lane);
        }
        return true;
    }

    static SAMESUM_INLINE void multiply_vectors(const char* p, std::size_t count, Factors& lane,
                                                Longs& marks) {
        for (std::size_t i = 0; i < count; ++i)
            multiply_any(lane, marks, F::doubles(p + i * width * F::size));
    }

    // Of n <= `most` elements.
    static SAMESUM_INLINE RunProduct of(const char* p, std::size_t n) {
        constexpr std::size_t vector = width * F::size;
        Factors lane[chains] = {Factors::one(), Factors::one(), Factors::one(), Factors::one()};
        std::size_t done = n / group * group;
        if (done > 0 && multiply_groups(p, n / group, lane)) {
            lane[0].multiply_loosely(lane[1]);
            lane[2].multiply_loosely(lane[3]);
            lane[0].multiply_loosely(lane[2]);
        } else {
            lane[0] = Factors::one();
            done = 0;
        }
        const std::size_t rest = (n - done + width - 1) / width, last = rest < steps ? rest : steps;
        RunProduct all{lane[0], Longs{}, done / group > last ? done / group : last};
        for (std::size_t i = done; i < n; i += steps * width) {
            const std::size_t now = n - i < steps * width ? n - i : steps * width;
            multiply_vectors(p + i * F::size, now / width, all.lanes, all.marks);
            if (now % width > 0)
                multiply_any(all.lanes, all.marks,
                             padded_with_ones<F>(p + i * F::size + now / width * vector, now % width));
            all.lanes.normalise();
        }
        return all;
    }

    // The same for one of some rows.
    static SAMESUM_APART RunProduct of_row(const char* p, std::size_t n) { return of(p, n); }

    template <int distance>
    SAMESUM_INLINE void fold() {
        lanes.multiply_loosely(Factors{swapped<distance>(lanes.hi), swapped<distance>(lanes.lo),
                                       swapped<distance>(lanes.exponent), swapped<distance>(lanes.lost)});
    }

    template <int distance>
    SAMESUM_INLINE RunProduct paired(const RunProduct& other) const {
        const Factors &x = lanes, &y = other.lanes;
        RunProduct both{{paired_low<distance>(x.hi, y.hi), paired_low<distance>(x.lo, y.lo),
                         paired_low<distance>(x.exponent, y.exponent), paired_low<distance>(x.lost, y.lost)},
                        paired_low<distance>(marks, other.marks) | paired_high<distance>(marks, other.marks),
                        longest > other.longest ? longest : other.longest};
        both.lanes.multiply_loosely(
            Factors{paired_high<distance>(x.hi, y.hi), paired_high<distance>(x.lo, y.lo),
                    paired_high<distance>(x.exponent, y.exponent), paired_high<distance>(x.lost, y.lost)});
        return both;
    }
};

}  // namespace samesum::SAMESUM_ISA
