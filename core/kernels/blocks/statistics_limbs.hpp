// Exact sums of blocks of float64 whose exponents lie close together: magnitudes are cut into three limbs of
// 23 bits, products of which and their sums are exact in doubles.
#pragma once

#include "kernels/blocks/statistics_grids.hpp"

namespace samesum::SAMESUM_ISA {

// With 2^top above all magnitudes, |x| = a + b + c: a is a multiple of 2^(top - 23), b one of 2^(top - 46) up
// to 2^(top - 24), and c one of 2^unit up to 2^(top - 47). A run has 2^7 elements in each place of a vector.
// Sums of a a, a b and b b have 46 bits and these 7; those of a c, b c, c c and b + c have as many if 2^top
// is at most 2^70 units. (Lemma 20)
struct LimbSums {
    static constexpr int limb = 23, run_bits = 7, deepest = 47 + limb - 1;
    enum { aa, ab, bb, ac, bc, cc, products };

    struct Places {
        Doubles product[products]{};
        Doubles coarse[2]{}, fine[2]{};  // of a and of b + c: with the sign of x, without

        SAMESUM_INLINE void take(Doubles x, Doubles shift, Doubles finer) {
            const Doubles size = samesum::SAMESUM_ISA::magnitude(x);
            const Longs sign = reinterpret_cast<Longs>(x) ^ reinterpret_cast<Longs>(size);
            const auto of_x = [&](Doubles v) {
                return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(v) ^ sign);
            };
            const Doubles a = (size + shift) - shift, rest = size - a;
            const Doubles b = (rest + finer) - finer, c = rest - b;
            coarse[0] += of_x(a);
            coarse[1] += a;
            fine[0] += of_x(rest);
            fine[1] += rest;
            product[aa] = roughly_fused(a, a, product[aa]);
            product[ab] = roughly_fused(a, b, product[ab]);
            product[bb] = roughly_fused(b, b, product[bb]);
            product[ac] = roughly_fused(a, c, product[ac]);
            product[bc] = roughly_fused(b, c, product[bc]);
            product[cc] = roughly_fused(c, c, product[cc]);
        }
    };

    struct Totals {
        TwoPartTotal product[products], fine[2];
        Doubles coarse[2]{};

        Totals(int top, int unit)
            : product{TwoPartTotal(2 * (top - limb)),      TwoPartTotal(2 * top - 3 * limb),
                      TwoPartTotal(2 * (top - 2 * limb)),  TwoPartTotal(top - limb + unit),
                      TwoPartTotal(top - 2 * limb + unit), TwoPartTotal(2 * unit)},
              fine{TwoPartTotal(unit), TwoPartTotal(unit)} {}

        void take(const Places& places) {
            for (std::size_t k = 0; k < products; ++k) product[k].take(places.product[k]);
            for (std::size_t map = 0; map < 2; ++map) {
                coarse[map] += places.coarse[map];
                fine[map].take(places.fine[map]);
            }
        }

        // Neighbours of the twelve sums of products join: they have fewer than 53 bits together.
        void give(BlockStatistics& found) const {
            for (std::size_t map = 0; map < 2; ++map) {
                found.part[map][0] = total_of(coarse[map]);
                found.part[map][1] = total_of(fine[map].high);
                found.part[map][2] = total_of(fine[map].low);
            }
            const auto high = [&](std::size_t k) { return total_of(product[k].high); };
            const auto low = [&](std::size_t k) { return total_of(product[k].low); };
            double(&part)[6] = found.part[2];
            part[0] = high(aa);
            part[1] = low(aa) + 2 * high(ab);
            part[2] = 2 * low(ab) + (2 * high(ac) + high(bb));
            part[3] = (2 * low(ac) + low(bb)) + 2 * high(bc);
            part[4] = 2 * low(bc) + high(cc);
            part[5] = low(cc);
        }
    };

    static bool take(const char* p, std::size_t n, OctaveRange range, BlockStatistics& found) {
        const int top = range.greatest + 1;
        if (range.depth() > deepest || range.unit < -500 || top > 480) return false;
        const Doubles shift = Doubles{} + 1.5 * power_of_two(top - limb + 52);
        const Doubles finer = Doubles{} + 1.5 * power_of_two(top - 2 * limb + 52);
        Totals totals(top, range.unit);
        each_run<Float64, width>(p, n, std::size_t{1} << run_bits, [&](const char* from, std::size_t steps) {
            Places places;
            for (std::size_t i = 0; i < steps; ++i)
                places.take(Float64::doubles(from + i * vector_bytes), shift, finer);
            totals.take(places);
        });
        totals.give(found);
        for (bool& known : found.known) known = true;
        return true;
    }
};

}  // namespace samesum::SAMESUM_ISA
