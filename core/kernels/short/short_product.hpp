// Products of whole sets of few elements.
#pragma once

#include "kernels/accumulators/factors.hpp"
#include "kernels/products/plain_products.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct ShortProduct {
    static constexpr Format format = F::format;
    // Products of so many elements neither overflow nor underflow, but for the last one of them: what it is
    // then, its result is too.
    static constexpr std::size_t part = 8;

    static SAMESUM_INLINE Doubles product_of(const char* p, std::ptrdiff_t stride, std::size_t count) {
        Doubles product = F::doubles(p);
        for (std::size_t r = 1; r < count; ++r) product *= F::doubles(p += stride);
        return product;
    }

    // Where parts left the range of a double they are `wild`.
    static SAMESUM_INLINE Doubles product_of_parts(const ShortRows& some, Longs& wild) {
        Doubles product = product_of(some.p, some.stride, some.count < part ? some.count : part);
        const char* p = some.p;
        for (std::size_t r = part; r < some.count; r += part) {
            p += static_cast<std::ptrdiff_t>(part) * some.stride;
            const Doubles other = product_of(p, some.stride, some.count - r < part ? some.count - r : part);
            wild |= ~(is_tame(product) & is_tame(other));
            product *= other;
        }
        return product;
    }

    // Relatively, what so many factors lose, and the rounding test. (Lemma 27)
    static double lost_of(std::size_t count) {
        constexpr std::size_t exact = F::format == Format::f32 ? 2 : F::format == Format::f16 ? 4 : 6;
        return count <= exact ? 0 : (static_cast<double>(count) + 3) * 0x1p-53;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double lost = lost_of(count);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short<F>(all, n, out, failed, [=](const ShortRows& some) {
            Longs wild = {};
            const Doubles product = product_of_parts(some, wild);
            Verdict<format> verdict = quickly_rounded(product, lost);
            if (any_bit(verdict.wrong)) verdict = nearly<format>(product, lost);
            verdict.wrong |= narrowed_mask(wild);
            return verdict;
        });
    }

    // NaNs are in doubt.
    static SAMESUM_INLINE Verdict<format> quickly_rounded(Doubles product, double lost) {
        using Quick = Nearby<format, format == Format::f32>;
        const Words no_number = narrowed_mask(product != product);
        if (lost == 0) return {Rounding<format>::of_number(product), no_number};
        Verdict<format> verdict = Quick::of(product, Quick::through_float ? Quick::slack : lost);
        verdict.wrong |= no_number;
        return verdict;
    }

    // Not even the one before the last was out of range.
    static SAMESUM_INLINE Longs is_tame(Doubles x) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(x);
        return (size > 0x1p-880) & (size < 0x1p1000);
    }
};

// Of float64, in double-words, where the elements are of moderate size.
struct ShortDoubleProduct {
    // No product of elements with exponents that add up to no more leaves the range of a double, nor its
    // rounding error.
    static constexpr std::uint64_t exponents = 900;

    // What so many factors lose, relatively. (Lemma 26)
    static double lost_of(std::size_t count) {
        const double rows = static_cast<double>(count);
        return (rows + 2) * (rows + 2) * 0x1p-105;
    }

    // Bits of magnitudes, doubled.
    struct Range {
        std::uint64_t least, size;

        static Range of(std::size_t count) {
            const std::uint64_t most = exponents / count;
            return {(field_bias - most) << 53, (2 * most) << 53};
        }
    };

    struct Part {
        Factors words;
        UnsignedLongs outside = {};

        SAMESUM_INLINE void take(Doubles factor, const Range& range) {
            words.multiply(factor);
            const UnsignedLongs above = (reinterpret_cast<UnsignedLongs>(factor) << 1) - range.least;
            outside = outside > above ? outside : above;
        }
        SAMESUM_INLINE Longs is_outside(const Range& range) const {
            return reinterpret_cast<Longs>(outside > range.size);
        }
    };

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double lost = lost_of(count);
        const Range range = Range::of(count);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short_sets<Float64>(
            all, n, out, failed, Part{},
            [=](Part& part, const char* p) { part.take(load<Doubles>(p), range); },
            [=](const Part& part, const ShortRows&) {
                Verdict<Format::f64> verdict = nearly(part.words.hi, part.words.lo, lost);
                verdict.wrong |= narrowed_mask(part.is_outside(range));
                return verdict;
            });
    }
};

}  // namespace samesum::SAMESUM_ISA
