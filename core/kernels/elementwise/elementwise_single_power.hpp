// x^y of formats narrower than float64, in floats: for exponents that are floats.
#pragma once

#include "kernels/elementwise/elementwise_singles.hpp"
#include "kernels/elementwise/power_cases.hpp"

namespace samesum::SAMESUM_ISA {

// |x|^y, where that is a normal number, and what is known of it.
template <std::size_t count>
struct SinglePower {
    Batch<count> product, value;  // y log |x|, and the power
    Lanes uncertain[count];

    // The logarithm is off by 2^-23.3 r^2 + 2^-40.4 (|number| + 1), and |number| ln 2 by less than ln 2 from
    // it; the product is that error times |y|, and the power of e 2^-35.7. 2^26 of it is what `uncertain`
    // allows for, as in `lanes_uncertain`. Of 16-bit formats: |y| r^2 is below 3 in their range, so that this
    // is below 2^-21. (Lemma 65)
    template <Format format>
    static SAMESUM_INLINE SinglePower of(Batch<count> x, Batch<count> y) {
        constexpr float limit = format == Format::f16 ? 9.5f : 87;
        const PairLogarithm<count> log = pair_logarithm(x);
        const Batch<count> p = y * log.hi, lower = fused(y, log.lo, fused(y, log.hi, -p));
        const PairPower<count> power = pair_power<count>(p, &lower);
        SinglePower all;
        all.product = p;
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            all.value.part[v] = power.scaled(v);
            all.uncertain[v] = lanes_beyond(p.part[v], limit);
        });
        if constexpr (format == Format::f32) {
            const Batch<count> of_logarithm = fused(log.square, 6.6f, 0x1.bp-14f);
            const Batch<count> margin =
                fused(magnitude(p), 0x1.2p-14f, fused(magnitude(y), of_logarithm, 1 + 0x1p-9f));
            const Batch<count> moved = fused(power.lo, margin, power.hi);
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                all.uncertain[v] |= lanes_unequal(moved.part[v], power.hi.part[v]);
            });
        } else {
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                all.uncertain[v] |= lanes_near_tie<format, 24 - 20>(all.value.part[v]);
            });
        }
        return all;
    }
};

// What x^y is beside |x|^y, as `PowerSigns` of doubles.
struct SinglePowerSigns {
    SingleInts is_nan, is_negative;

    static SAMESUM_INLINE SinglePowerSigns of(Singles x, Singles y) {
        constexpr float whole = 0x1p23f;  // floats from there on are integers
        const Singles size = magnitude(y), half = size * (Singles{} + 0.5f);
        const SingleInts is_integer = (size >= whole) | ((size + whole) - whole == size);
        const SingleInts is_even = (size >= 2 * whole) | ((half + whole) - whole == half);
        const SingleInts below = reinterpret_cast<SingleInts>(x) < 0;
        return {below & (x != 0) & ~is_integer, below & is_integer & ~is_even};
    }
};

template <class F>
struct NarrowPowers;

// Correctly rounded, in blocks whose hard elements are left to doubles.
template <class F>
struct SinglePowers {
    // y as many elements of the same format.
    static void run(const void* x, const void* y, std::size_t n, void* out) {
        const char* exponents = static_cast<const char*>(y);
        char some[bytes];
        if (n < singles) {
            fill_up(exponents, n, some);
            exponents = some;
        }
        with(
            x, n, out,
            [=](std::size_t i) SAMESUM_INLINED { return load_singles<F>(exponents + i * F::size); },
            [=](const std::size_t (&places)[width], std::size_t first)
                SAMESUM_INLINED { return doubles_at<F>(exponents + first * F::size, places); });
    }

    static void run_of_one(const void* x, float y, std::size_t n, void* out) {
        with(
            x, n, out, [=](std::size_t) SAMESUM_INLINED { return Singles{} + y; },
            [=](const std::size_t (&)[width], std::size_t)
                SAMESUM_INLINED { return Doubles{} + static_cast<double>(y); });
    }

  private:
    static constexpr Format format = F::format;
    static constexpr std::size_t bytes = singles * F::size, several = 3;

    static void fill_up(const char* from, std::size_t n, char (&to)[bytes]) {
        for (std::size_t k = 0; k < singles; ++k)
            std::memcpy(to + k * F::size, from + (k < n ? k : n - 1) * F::size, F::size);
    }

    // exponents(i) from element i on; exponents_at(places, first) those of these places after the first one.
    template <class Exponents, class At>
    static SAMESUM_INLINE void with(const void* x, std::size_t n, void* out, const Exponents& exponents,
                                    const At& exponents_at) {
        const char* from = static_cast<const char*>(x);
        char some[bytes], results[bytes];
        const bool is_short = n < singles;
        if (is_short) fill_up(from, n, some);
        const char* const bases = is_short ? some : from;
        char* const to = is_short ? results : static_cast<char*>(out);
        each_batched_block(is_short ? singles : n, [&](std::size_t first, std::size_t many) {
            LeftElements left;
            each_batch<several>(many, [&](auto vectors, std::size_t k) SAMESUM_INLINED {
                const std::size_t i = first + k;
                take<vectors()>(bases + i * F::size, to + i * F::size, k, left,
                                [&](std::size_t v) SAMESUM_INLINED { return exponents(i + v * singles); });
            });
            left.template each<F::size>(
                to + first * F::size, [&](const std::size_t (&places)[width], char* found) {
                    const Doubles base = doubles_at<F>(bases + first * F::size, places);
                    Rounding<format>::store_to(found, 0,
                                               NarrowPowers<F>::carefully(base, exponents_at(places, first)));
                });
        });
        if (is_short) std::memcpy(out, results, n * F::size);
    }

    template <std::size_t count, class Exponents>
    static SAMESUM_INLINE void take(const char* from, char* to, std::size_t first, LeftElements& left,
                                    const Exponents& exponents) {
        const auto x = Batch<count>::made([&](std::size_t v)
                                              SAMESUM_INLINED { return load_singles<F>(from + v * bytes); });
        const auto y = Batch<count>::made(exponents);
        const auto power = SinglePower<count>::template of<format>(x, y);
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            Singles value = power.value.part[v];
            const Lanes unusual = lanes_unusual(x.part[v]);
            if (__builtin_expect((power.uncertain[v] | unusual) != 0, false)) {
                Lanes hard = power.uncertain[v];
                if (((power.uncertain[v] & lanes_beyond(power.product.part[v], limit)) | unusual) != 0)
                    value = settled(x.part[v], y.part[v], power.product.part[v], value, hard);
                left.add(first + v * singles, hard);
            }
            store_singles<format>(to + v * bytes, value);
        });
    }

    static constexpr float limit = format == Format::f16 ? 9.5f : 87;

    // The powers with those of special elements, which are no longer hard.
    static __attribute__((noinline)) Singles settled(Singles x, Singles y, Singles product, Singles power,
                                                     Lanes& hard) {
        constexpr float infinite = __builtin_huge_valf(),
                        least = has_all_significands ? 0x1p-149f : 0x1p-126f;
        constexpr float vanishing = format == Format::f16 ? -17.4f : -104,
                        beyond = format == Format::f16 ? 11.1f : 88.75f;
        const Singles none = {}, size = magnitude(x);
        const SinglePowerSigns signs = SinglePowerSigns::of(x, y);
        const SingleInts is_usual = (size >= least) & (size < infinite);
        const SingleInts is_of_zero = (size == 0) & ((y > 0) | (y < 0));
        const SingleInts is_zero = (is_usual & (product < vanishing)) | (is_of_zero & (y > 0));
        const SingleInts is_infinite = (is_usual & (product > beyond)) | (is_of_zero & (y < 0));
        const SingleInts is_nan = is_usual & signs.is_nan;
        hard = (hard | ~lanes_of(is_usual)) & ~lanes_of(is_zero | is_infinite | is_nan) & all_lanes;
        const Singles value = is_zero ? none : is_infinite ? none + infinite : power;
        const SingleWords sign = reinterpret_cast<SingleWords>(signs.is_negative) & 0x80000000u;
        const Singles with_sign = reinterpret_cast<Singles>(bits_of(value) ^ sign);
        return is_nan ? none + __builtin_nanf("") : with_sign;
    }
};

}  // namespace samesum::SAMESUM_ISA
