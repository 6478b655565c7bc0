// Results of float32 in two words of float32, twice as many in a vector as there are doubles.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/vectors/singles.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

// Numbers within these are neither so small nor so large that words of their products vanish or overflow.
constexpr double least_single = 0x1p-30, most_single = 0x1p30;
constexpr double least_factor = 0x1p-60, most_factor = 0x1p60;

SAMESUM_INLINE bool any_bit(SingleWords v) { return any_bit(reinterpret_cast<Longs>(v)); }

SAMESUM_INLINE Singles all_singles(double x) { return Singles{} + static_cast<float>(x); }

// factor x, or factor x s with `each`, where the factor is off by `error` of itself; so are the results.
// (Lemma 57)
template <bool each>
class SingleProducts {
    const Singles factor_, factor_rest_, slack_;
    const SingleWords least_;
    const float* const scale_;

  public:
    struct Test {
        SingleWords different = {}, least = ~SingleWords{};
    };

    SAMESUM_INLINE SingleProducts(double factor, double error, const float* scale)
        : factor_(all_singles(factor)),
          factor_rest_(all_singles(factor - static_cast<double>(factor_[0]))),
          slack_(all_singles(1 / (1 - 0x1.04p25 * (error + 0x1.9p-46)) + 0x1p-23)),
          least_(doubled(all_singles(0x1p-62 / samesum::magnitude(factor)))),
          scale_(scale) {}

    static bool serves(double factor, double error, double most) {
        const double size = samesum::magnitude(factor);
        return size > least_factor && size < most_factor && error < 0x1p-30 && most < most_factor;
    }

    SAMESUM_INLINE Singles take(Singles x, std::size_t at, Test& test) const {
        Singles product = x * factor_, rest = fused(x, factor_rest_, fused(x, factor_, -product));
        if constexpr (each) {
            const Singles scale = loaded(load<Singles>(scale_ + at)), part = product;
            product = part * scale;
            rest = fused(rest, scale, fused(part, scale, -product));
        }
        const Singles result = product + rest, low = rest - (result - product);
        test.different |= bits(result) ^ bits(fused(low, slack_, result));
        const SingleWords size = doubled(x);
        test.least = size < test.least ? size : test.least;
        return result;
    }
    SAMESUM_INLINE bool is_any_in_doubt(const Test& test) const {
        return any_bit(test.different | reinterpret_cast<SingleWords>(test.least < least_));
    }

  private:
    static SAMESUM_INLINE SingleWords bits(Singles x) { return reinterpret_cast<SingleWords>(x); }
    // In the order of magnitudes; zero is the greatest.
    static SAMESUM_INLINE SingleWords doubled(Singles x) { return bits(x) + bits(x) - 1; }
};

// factor x + term on a grid: multiples of the last place of 3 2^(k - 1), whose sums are exact, and rests. Of
// results up to 2^(k - 1); greater ones, and what is not finite, are in doubt. (Lemma 57)
class SingleSums {
    const double top_;  // 2^k
    const Singles factor_, factor_rest_, grid_, base_;
    Singles low_ = {}, high_ = {};

  public:
    struct Test {
        SingleWords different = {}, beyond = {};
    };

    // `size`: of the results, at most, or of most of them; the term's is less than half of it.
    SAMESUM_INLINE SingleSums(double factor, double term, double size)
        : top_(__builtin_ldexp(4.0, std::ilogb(size))),
          factor_(all_singles(factor)),
          factor_rest_(all_singles(factor - static_cast<double>(factor_[0]))),
          grid_(all_singles(1.5 * top_)),
          base_(all_singles(1.5 * top_ + term)) {}

    static bool serves(double factor, double size) {
        const double part = samesum::magnitude(factor);
        return part > least_factor && part < most_factor && size > least_factor && size < most_factor;
    }

    // Of the results that are not in doubt.
    SAMESUM_INLINE double most() const { return top_ * 0.505; }

    // `error`: of factor x + term, for these.
    SAMESUM_INLINE void allow(double term, double error) {
        const double rest = term - (static_cast<double>(base_[0]) - static_cast<double>(grid_[0])),
                     bound = (error + top_ * 0x1p-45) * 1.01;
        low_ = all_singles(rest - bound);
        high_ = all_singles(rest + bound);
    }

    SAMESUM_INLINE Singles take(Singles x, std::size_t, Test& test) const {
        const Singles sum = fused(x, factor_, base_), result = sum - grid_,
                      rest = fused(x, factor_rest_, fused(x, factor_, -(sum - base_)));
        const Singles low = result + (rest + low_), high = result + (rest + high_);
        test.different |= reinterpret_cast<SingleWords>(low) ^ reinterpret_cast<SingleWords>(high);
        test.beyond |= reinterpret_cast<SingleWords>(sum) ^ reinterpret_cast<SingleWords>(base_);
        return low;
    }
    static SAMESUM_INLINE bool is_any_in_doubt(const Test& test) {
        return any_bit(test.different | (test.beyond & 0xff800000u));
    }
};

// Some vectors at a time, those in doubt by settle(first, end); returns how many elements were taken: not all
// where many are in doubt, which settle only slowly.
template <class Kernel, class Settle>
SAMESUM_INLINE std::size_t take_singles(const Kernel& kernel, const char* x, std::size_t n, char* out,
                                        const Settle& settle) {
    constexpr std::size_t vectors = 4, together = vectors * singles, most_settled = 4;
    std::size_t i = 0, settled = 0;
    for (; i + together <= n && settled < most_settled; i += together) {
        prefetch_run<together * sizeof(float)>(x + i * sizeof(float));
        typename Kernel::Test test;
        for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED {
            const std::size_t at = i + k * singles;
            const Singles element = loaded(load<Singles>(x + at * sizeof(float)));
            store(out + at * sizeof(float), kernel.take(element, at, test));
        });
        if (kernel.is_any_in_doubt(test)) {
            settle(i, i + together);
            ++settled;
        }
    }
    return i;
}

}  // namespace samesum::SAMESUM_ISA
