// What the bits of a block of floats tell: extremes, zeros, subnormals, and elements that are not finite.
// These are plain loops over integers of the elements' width, which the compiler makes vectors of.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/statistics.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct BitsOf {
    using Bits = std::conditional_t<F::size == 2, std::uint16_t,
                                    std::conditional_t<F::size == 4, std::uint32_t, std::uint64_t>>;
    using Signed = std::make_signed_t<Bits>;
    static constexpr Bits mask = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    static constexpr Bits sign = static_cast<Bits>(~mask);
    static constexpr Bits infinity = static_cast<Bits>(infinity_bits(F::format));
    static constexpr FloatTraits traits = traits_of(F::format);
    static constexpr int fraction_bits = traits.precision - 1;
    static constexpr Bits least_normal = static_cast<Bits>(Bits{1} << fraction_bits);

    static SAMESUM_INLINE Bits magnitude(Bits bits) { return static_cast<Bits>(bits & mask); }
    static SAMESUM_INLINE Signed key(Bits bits) {
        const Signed value = static_cast<Signed>(bits);
        return static_cast<Signed>(value ^ ((value >> (8 * F::size - 1)) & static_cast<Signed>(mask)));
    }

    // A magnitude lies in [2^e, 2^(e + 1)), or below the least normal number, whose exponent it then has.
    static int exponent_of(Bits magnitude) {
        const int field = static_cast<int>(magnitude >> fraction_bits);
        return std::max(field, 1) - 1 + traits.min_exponent;
    }

    // The keys of the extremes, and the extremes of the magnitudes. If not all elements are finite, that
    // alone is known.
    struct Extremes {
        Signed low, high;
        Bits greatest, least;
        bool is_finite;
    };

    static Extremes extremes_of(Bits low, Bits high, Bits least, bool is_finite) {
        return {key(low), key(high), std::max(magnitude(low), magnitude(high)), least, is_finite};
    }

    // The greatest element that has a sign is the lowest one. Without such elements, or without others, the
    // least magnitude is an extreme.
    static Extremes extremes(const Bits* x, std::size_t n) {
        Bits most = 0, least = static_cast<Bits>(~Bits{0});
        Signed high = static_cast<Signed>(sign);
        for (std::size_t i = 0; i < n; ++i) {
            most = std::max(most, x[i]);
            high = std::max(high, static_cast<Signed>(x[i]));
            least = std::min(least, static_cast<Bits>(x[i] << 1));
        }
        least = static_cast<Bits>(least >> 1);
        const Extremes found =
            extremes_of(most >= sign ? most : least,
                        high >= 0 ? static_cast<Bits>(high) : static_cast<Bits>(sign | least), least, true);
        return {found.low, found.high, found.greatest, least, found.greatest < infinity};
    }

    // Zeros by sign, and the least magnitude of the other elements, less one.
    struct Zeros {
        Bits all = 0, negative = 0;
        Signed least = static_cast<Signed>(mask);
    };

    static Zeros zeros(const Bits* x, std::size_t n) {
        Zeros found;
        for (std::size_t i = 0; i < n; ++i) {
            found.all = static_cast<Bits>(found.all + (magnitude(x[i]) == 0));
            found.negative = static_cast<Bits>(found.negative + (x[i] == sign));
            found.least = std::min(found.least, static_cast<Signed>((magnitude(x[i]) - 1) & mask));
        }
        return found;
    }

    static std::int64_t subnormals(const Bits* x, std::size_t n) {
        Bits count = 0;
        for (std::size_t i = 0; i < n; ++i)
            count = static_cast<Bits>(count + (static_cast<Bits>(magnitude(x[i]) - 1) < least_normal - 1));
        return static_cast<std::int64_t>(count);
    }

    // Leaves zeros in place of what is not finite, counts it, and finds the extremes of the other elements.
    // Comparisons are signed: not all instruction sets have others of 64 bits.
    static void clean(const Bits* x, std::size_t n, Bits* to, BlockStatistics& found) {
        constexpr Signed limit = static_cast<Signed>(infinity);
        Bits nans = 0, infinities = 0, negative = 0;
        Signed low = static_cast<Signed>(mask), high = static_cast<Signed>(sign);
        for (std::size_t i = 0; i < n; ++i) {
            const Signed size = static_cast<Signed>(magnitude(x[i]));
            const Bits other = static_cast<Bits>(-static_cast<Bits>(size >= limit));  // all bits, or none
            const Bits place = static_cast<Bits>(static_cast<Bits>(key(x[i])) & ~other);
            nans = static_cast<Bits>(nans + (size > limit));
            infinities = static_cast<Bits>(infinities + (size == limit));
            negative = static_cast<Bits>(negative + (x[i] == (sign | infinity)));
            low = std::min(low, static_cast<Signed>(place | (other & mask)));
            high = std::max(high, static_cast<Signed>(place | (other & sign)));
            to[i] = static_cast<Bits>(x[i] & ~other);
        }
        found.nans = static_cast<std::int64_t>(nans);
        found.positive_infinities = static_cast<std::int64_t>(infinities - negative);
        found.negative_infinities = static_cast<std::int64_t>(negative);
        if (low <= high) {
            found.least = low;
            found.greatest = high;
        }
    }
};

// Comparisons of doubles are one instruction where those of long integers are several. They take zeros of
// both signs for equal, so an extreme that is zero may have either sign.
inline BitsOf<Float64>::Extremes extremes_of_doubles(const std::uint64_t* x, std::size_t n) {
    constexpr std::size_t chains = 2, step = chains * width;
    Doubles low[chains], high[chains], least[chains], other[chains];
    for (std::size_t k = 0; k < chains; ++k) {
        low[k] = least[k] = Doubles{} + infinity;
        high[k] = Doubles{} - infinity;
        other[k] = Doubles{};
    }
    const auto take = [&](std::size_t k, Doubles v) {
        low[k] = lesser(v, low[k]);
        high[k] = greater(v, high[k]);
        least[k] = lesser(samesum::SAMESUM_ISA::magnitude(v), least[k]);
        other[k] = roughly_fused(v, Doubles{}, other[k]);  // NaN, if v is not finite
    };
    std::size_t i = 0;
    for (; i + step <= n; i += step)
        for_each_of<chains>([&](std::size_t k) { take(k, load<Doubles>(x + i + k * width)); });
    for (; i < n; ++i) take(0, Doubles{} + __builtin_bit_cast(double, x[i]));
    low[0] = lesser(low[0], low[1]);
    high[0] = greater(high[0], high[1]);
    least[0] = lesser(least[0], least[1]);
    other[0] += other[1];
    double lowest = low[0][0], highest = high[0][0], smallest = least[0][0], sum = other[0][0];
    for (std::size_t k = 1; k < width; ++k) {
        lowest = std::min(lowest, low[0][k]);
        highest = std::max(highest, high[0][k]);
        smallest = std::min(smallest, least[0][k]);
        sum += other[0][k];
    }
    const auto bits = [](double v) { return __builtin_bit_cast(std::uint64_t, v); };
    return BitsOf<Float64>::extremes_of(bits(lowest), bits(highest), bits(smallest), sum == 0);
}

}  // namespace samesum::SAMESUM_ISA
