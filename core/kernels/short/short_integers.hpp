// Sums and products modulo 2^k of whole sets of few integers, in their own width or in 64 bits.
#pragma once

#include <type_traits>

#include "kernels/certify/words.hpp"
#include "kernels/integers/whole.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/widening.hpp"

namespace samesum::SAMESUM_ISA {

// Means of whole sets of few integers, into float64.

template <class Integer>
struct ShortIntegerMean {
    static constexpr Format format = Format::f64;
    static constexpr std::size_t size = sizeof(Integer);

    // Of fewer than 52 bits, put where those of a double that holds its units last are.
    static SAMESUM_INLINE Doubles elements(const char* p) {
        using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;
        const UnsignedLongs x = reinterpret_cast<UnsignedLongs>(widened_from<Wide, Integer>(p));
        return reinterpret_cast<Doubles>(x + __builtin_bit_cast(std::uint64_t, to_integer)) - to_integer;
    }

    // The exact total is sum + rest.
    struct Part {
        Doubles sum = {}, rest = {};
    };

    // Of halves of 64 bits: whole numbers, the sums of which are exact.
    static SAMESUM_INLINE Part long_total(const ShortRows& rows) {
        Part part;
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) {
            const auto x = load<typename VectorOf<Integer>::type>(p);
            part.sum += __builtin_convertvector(x >> 32, Doubles);
            part.rest += __builtin_convertvector(x & UINT32_MAX, Doubles);
        }
        two_sum(part.sum * 0x1p32, part.rest, part.sum, part.rest);
        return part;
    }

    static SAMESUM_INLINE Part narrow_total(const ShortRows& rows) {
        Part part;
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) part.sum = plus(part.sum, elements(p));
        return part;
    }

    static SAMESUM_INLINE Part total(const ShortRows& rows) {
        if constexpr (size == 8)
            return long_total(rows);
        else
            return narrow_total(rows);
    }

    static SAMESUM_INLINE Verdict<format> concluded(const Part& part, double rows, double inverse) {
        const Doubles none = {};
        if (any(part.rest != 0))
            return WordsTest<format, Finalize::over_count>::of(part.sum, part.rest, none, none + rows);
        return {reinterpret_cast<Longs>(inverse != 0 ? part.sum * inverse : part.sum / rows), Words{}};
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count);
        const double inverse = (count & (count - 1)) == 0 ? 1 / rows : 0;  // where it is exact
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short<ShortIntegerMean>(all, n, out, failed, [=](const ShortRows& some) {
            return concluded(total(some), rows, inverse);
        });
    }
};

template <class Integer, class Total, Map map, bool product = false>
struct ShortModular {
    static constexpr bool has_sign = std::is_signed_v<Integer>;
    static constexpr std::size_t size = sizeof(Integer);
    // Sums of up to 2^6 terms fit into words twice as long as those; their products do not.
    static constexpr std::size_t term = map == Map::square ? 2 * size : size,
                                 part = product || size == sizeof(Total) || 2 * term > sizeof(Total)
                                            ? sizeof(Total)
                                            : 2 * term;
    template <std::size_t bytes>
    using SignedOf =
        std::conditional_t<bytes == 1, std::int8_t,
                           std::conditional_t<bytes == 2, std::int16_t,
                                              std::conditional_t<bytes == 4, std::int32_t, std::int64_t>>>;
    // Of the elements' sign, so that they are widened rightly; arithmetic is done without.
    using Part = std::conditional_t<has_sign, SignedOf<part>, std::make_unsigned_t<SignedOf<part>>>;
    using Bits = std::make_unsigned_t<Part>;
    static constexpr std::size_t step = vector_bytes / part;

    typedef Part Parts __attribute__((vector_size(vector_bytes)));
    typedef Bits Values __attribute__((vector_size(vector_bytes)));

    static SAMESUM_INLINE Values loaded(const char* p) {
        if constexpr (part == size)
            return load<Values>(p);
        else
            return reinterpret_cast<Values>(widened_from<Part, Integer>(p));
    }

    static SAMESUM_INLINE Values mapped(const char* p) {
        const Values x = loaded(p);
        if constexpr (map == Map::square) return x * x;
        if constexpr (map == Map::magnitude && has_sign) return reinterpret_cast<Parts>(x) < 0 ? -x : x;
        return x;
    }

    static SAMESUM_INLINE Values total_of(const ShortRows& rows) {
        const char* p = rows.p;
        Values total = mapped(p);
        for (std::size_t r = 1; r < rows.count; ++r) {
            const Values x = mapped(p += rows.stride);
            total = product ? total * x : total + x;
        }
        return total;
    }

    static SAMESUM_INLINE void store_all(char* out, Values total) {
        if constexpr (part == sizeof(Total)) {
            store(out, total);
        } else {
            using Wide = std::conditional_t<has_sign, std::int64_t, std::uint64_t>;
            char parts[vector_bytes];
            store(parts, total);
            for (std::size_t k = 0; k < step; k += width)
                store(out + k * sizeof(Total), widened_from<Wide, Part>(parts + k * part));
        }
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        each_short<step, size>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, sizeof(Total)>(out, j, n, [&](char* to) { store_all(to, total_of(some)); });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
