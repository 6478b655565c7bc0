// The functions of one element for the formats narrower than float64, in floats. A function is a struct with
//   quick<format>(x, y, hard): several vectors of results, and which of their elements may be wrong;
//   settled<format>(x, y, hard): the results with those of special elements, which are no longer hard;
//   Function: the same in doubles, which has the last word.
#pragma once

#include "kernels/elementwise/elementwise_functions.hpp"
#include "kernels/elementwise/float_pairs.hpp"
#include "kernels/vectors/classes.hpp"

namespace samesum::SAMESUM_ISA {

// Whether hi + lo (1 + 2^-bits) is still rounded to hi: what is off by 2^-(bits + 26) of hi then is, too, as
// lo is below a quarter of hi's last place, or beyond it and so above 2^-26 of hi. (Lemma 59)
template <int bits>
SAMESUM_INLINE Lanes lanes_uncertain(Singles hi, Singles lo) {
    constexpr float margin = 1 + 1.0f / (1 << bits);
    return lanes_unequal(fused(lo, Singles{} + margin, hi), hi);
}

struct ExponentialOfSingles {
    using Function = ExponentialFunction;

    // Powers without the scale that `power_scale` gives them.
    struct Unscaled {
        static SAMESUM_INLINE Singles placed(Singles x) { return x; }
        static SAMESUM_INLINE Singles whole() {
            return Singles{} + (SingleRange::to_whole - SingleRange::steps * power_scale);
        }
    };

    template <Format format, std::size_t count>
    static SAMESUM_INLINE void quick(Batch<count> x, Batch<count>& y, Lanes (&hard)[count]) {
        constexpr float limit = format == Format::f16 ? 9.5f : 87;
        if constexpr (format == Format::f32) {
            const PairPower<count> power = pair_power<count>(x, nullptr);
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                hard[v] = lanes_uncertain<9>(power.hi.part[v], power.lo.part[v]);
                y.part[v] = power.scaled(v);
            });
        } else {
            // The root is off by 2^-25, the growth by less, their sum by 2^-24.
            Power power[count];
            powers_of<false>(x.part, Unscaled{}, power);
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                y.part[v] = fused(power[v].root, power[v].growth, power[v].root);
                hard[v] = lanes_near_tie<format, 24 - 22>(y.part[v]);
            });
        }
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { hard[v] |= lanes_beyond(x.part[v], limit); });
    }

    // Below `vanishing` powers are less than half of the least number, above `infinite` beyond the greatest.
    template <Format format>
    static SAMESUM_INLINE Singles settled(Singles x, Singles y, Lanes& hard) {
        const Singles none = {};
        constexpr float vanishing = format == Format::f16 ? -17.4f : -104,
                        infinite = format == Format::f16 ? 11.1f : 88.75f;
        const SingleInts is_zero = x<vanishing, is_infinite = x> infinite;
        hard &= ~lanes_of(is_zero | is_infinite);
        return is_zero ? none : is_infinite ? none + __builtin_huge_valf() : y;
    }
};

// Factors c near the reciprocals of 1 + (k + 1/2) / 32, and -log c, that are within 2^-32 of floats; the
// first one is 1, the last one 1/2.
struct alignas(64) HalfLogarithmTable {
    float factor[32], log[32];
};
constexpr HalfLogarithmTable half_logarithms = {
    {0x1p+0f,        0x1.e9108ap-1f, 0x1.dae26cp-1f, 0x1.cd9256p-1f, 0x1.c0f664p-1f, 0x1.b4f388p-1f,
     0x1.a9885ep-1f, 0x1.9ec00ap-1f, 0x1.94a16p-1f,  0x1.8ad852p-1f, 0x1.8193acp-1f, 0x1.78a7f4p-1f,
     0x1.702518p-1f, 0x1.680344p-1f, 0x1.6062bep-1f, 0x1.58fe2p-1f,  0x1.51cabap-1f, 0x1.4aff94p-1f,
     0x1.447902p-1f, 0x1.3e370ap-1f, 0x1.38097p-1f,  0x1.323298p-1f, 0x1.2cad42p-1f, 0x1.27245ap-1f,
     0x1.220656p-1f, 0x1.1d061cp-1f, 0x1.180974p-1f, 0x1.1371d4p-1f, 0x1.0ec5fcp-1f, 0x1.0a65d8p-1f,
     0x1.0615a6p-1f, 0x1p-1f},
    {0x0p+0f,        0x1.777088p-5f, 0x1.343c96p-4f, 0x1.a8b41ap-4f, 0x1.0d13c2p-3f, 0x1.449d2ap-3f,
     0x1.7ad84cp-3f, 0x1.af6864p-3f, 0x1.e1ff84p-3f, 0x1.0a113ap-2f, 0x1.2263ep-2f,  0x1.3a5c26p-2f,
     0x1.51c3aep-2f, 0x1.68a33ap-2f, 0x1.7e908cp-2f, 0x1.9446d4p-2f, 0x1.a9e046p-2f, 0x1.beae28p-2f,
     0x1.d311fap-2f, 0x1.e703p-2f,   0x1.fb1692p-2f, 0x1.07375p-1f,  0x1.108826p-1f, 0x1.1a0b6p-1f,
     0x1.22ffdep-1f, 0x1.2be7a6p-1f, 0x1.34f142p-1f, 0x1.3d6882p-1f, 0x1.462a6cp-1f, 0x1.4e81c6p-1f,
     0x1.56dd56p-1f, 0x1.62e43p-1f}};

struct LogarithmOfSingles {
    using Function = LogarithmFunction;

    template <Format format, std::size_t count>
    static SAMESUM_INLINE void quick(Batch<count> x, Batch<count>& y, Lanes (&hard)[count]) {
        if constexpr (format == Format::f32) {
            const PairLogarithm<count> log = pair_logarithm(x);
            y = log.hi;
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                hard[v] = lanes_unusual(x.part[v]) | lanes_uncertain(log, v);
            });
        } else {
            y = half_logarithm(x);
            for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
                hard[v] = lanes_unusual(x.part[v]) | lanes_near_tie<format, 24 - 21>(y.part[v]);
            });
        }
    }

    // The first term of the error is below 0.82 of the one here. The second is below 2^-35 of the logarithm:
    // for numbers 0 and -1, whose logarithms are above 2^-6 where there is such a term, it is 2^-41.7 in all.
    template <std::size_t count>
    static SAMESUM_INLINE Lanes lanes_uncertain(const PairLogarithm<count>& log, std::size_t v) {
        const Singles none = {}, hi = log.hi.part[v], lo = log.lo.part[v];
        const Singles off = with_sign_of(lo, log.square.part[v] * (none + 0x1p-23f));
        return lanes_unequal(hi + fused(lo, none + (1 + 0x1p-9f), off), hi);
    }

    // number * ln 2 - log c + log(1 + r) as in `pair_logarithm`, in one word: off by 2^-24 as it is rounded,
    // by 2^-22 where the first two terms nearly cancel, whose sum then is off by 2^-28, and by less
    // elsewhere.
    template <std::size_t count>
    static SAMESUM_INLINE Batch<count> half_logarithm(Batch<count> x) {
        using B = Batch<count>;
        const auto t = FloatSignificand<count>::of(x);
        const B r = fused(t.z, number_of<18>(half_logarithms.factor, t.z), -1.0f);
        const B far = fused(t.number, whole_float_octave, number_of<18>(half_logarithms.log, t.z));
        const B square = r * r;
        B q = fused(r, -0x1.002ab2p-2f, 0x1.557bc2p-2f);
        q = fused(r, q, -0.5f);
        return far + fused(square, q, r);
    }

    template <Format format>
    static SAMESUM_INLINE Singles settled(Singles x, Singles y, Lanes& hard) {
        constexpr float infinite = __builtin_huge_valf();
        const Singles none = {}, nan = none + __builtin_nanf("");
        const SingleInts is_zero = x == 0, is_number = (x > 0) & (x < infinite);
        hard &= lanes_of(is_number);
        return is_number ? y : is_zero ? none - infinite : x == infinite ? x : nan;
    }
};

// Correctly rounded, in blocks whose hard elements are left to doubles.
template <class Quick, class F>
struct SingleElements {
    static void run(const void* x, std::size_t n, void* out) {
        const char* from = static_cast<const char*>(x);
        char* to = static_cast<char*>(out);
        if (n < singles) return run_few(from, n, to);
        each_batched_block(n, [&](std::size_t i, std::size_t count) {
            LeftElements left;
            each_batch<several>(count, [&](auto vectors, std::size_t k) SAMESUM_INLINED {
                take<vectors()>(from + (i + k) * F::size, to + (i + k) * F::size, k, left);
            });
            if (left.count > 0) take_left(from + i * F::size, to + i * F::size, left);
        });
    }

  private:
    using Exact = NarrowElements<typename Quick::Function, F>;
    static constexpr std::size_t bytes = singles * F::size, several = 2;

    static void run_few(const char* from, std::size_t n, char* to) {
        char some[bytes], results[bytes];
        for (std::size_t k = 0; k < singles; ++k)
            std::memcpy(some + k * F::size, from + (k < n ? k : n - 1) * F::size, F::size);
        run(some, singles, results);
        std::memcpy(to, results, n * F::size);
    }

    static __attribute__((noinline)) void take_left(const char* from, char* to, const LeftElements& left) {
        left.each<F::size>(to, [&](const std::size_t (&places)[width], char* results) {
            Rounding<F::format>::store_to(results, 0, Exact::carefully(doubles_at<F>(from, places)));
        });
    }

    template <std::size_t count>
    static SAMESUM_INLINE void take(const char* from, char* to, std::size_t first, LeftElements& left) {
        Batch<count> y;
        const Batch<count> x = Batch<count>::made(
            [&](std::size_t v) SAMESUM_INLINED { return load_singles<F>(from + v * bytes); });
        Lanes hard[count];
        Quick::template quick<F::format, count>(x, y, hard);
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            if (__builtin_expect(hard[v] != 0, false)) {
                y.part[v] = Quick::template settled<F::format>(x.part[v], y.part[v], hard[v]);
                left.add(first + v * singles, hard[v]);
            }
            store_singles<F::format>(to + v * bytes, y.part[v]);
        });
    }
};

}  // namespace samesum::SAMESUM_ISA
