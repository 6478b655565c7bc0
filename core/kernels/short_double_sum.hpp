// Sums of whole sets of few float64 elements. Where the magnitudes of a set lie close together, its sum and
// the sum of what was rounded off it are exact, so that one addition gives the result.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/float_formats.hpp"
#include "kernels/short.hpp"

namespace samesum::SAMESUM_ISA {

// The double nearest to q + (d + rest) / slope, less than 3/2 of a last place of q away; `rest` is what was
// rounded off d.
SAMESUM_INLINE Verdict<Format::f64> stepped(Doubles q, Doubles d, Doubles rest, Doubles slope) {
    constexpr std::int64_t exponent = std::int64_t{0x7ff} << 52;
    const Longs bits = reinterpret_cast<Longs>(q), none = {};
    const Doubles place = reinterpret_cast<Doubles>(bits & exponent) * 0x1p-52;
    const Doubles half = slope * place * 0.5, size = samesum::SAMESUM_ISA::magnitude(d);
    const Longs tie = (size == half) & (rest == 0), odd = (bits & 1) != none;
    const Doubles result = (size > half) | (tie & odd) ? q + (d < 0 ? -place : place) : q;
    const Longs apart = (samesum::SAMESUM_ISA::magnitude(size - half) > half * 0x1p-20) & (size < half * 2.9);
    // Below a power of two the last place is another.
    const Longs even = ((bits & ~exponent & INT64_MAX) != none) | (size < half * 0.25);
    return {reinterpret_cast<Longs>(result), ~narrowed_mask((tie | apart) & even)};
}

// The quotient by a count, of an exact sum of two words, or the root of nearly one, if certain.
template <Finalize finalize>
SAMESUM_INLINE Verdict<Format::f64> finished_words(Doubles sum, Doubles small, double count) {
    Doubles total, low;
    two_sum(sum, small, total, low);
    constexpr bool mean = finalize == Finalize::over_count;
    const Doubles counts = Doubles{} + count;
    const Doubles q = mean ? total / counts : square_root(total);
    const Doubles remainder = fused(-q, mean ? counts : q, total);
    Doubles d, rest;
    two_sum(remainder, low, d, rest);
    Verdict<Format::f64> verdict = stepped(q, d, mean ? rest : counts, mean ? counts : 2 * q);
    const Doubles size = samesum::SAMESUM_ISA::magnitude(total);
    verdict.wrong |= ~narrowed_mask((size > safe_floor) & (size < safe_ceiling));
    return verdict;
}

template <Map map, Finalize finalize>
struct ShortDoubleSum {
    static constexpr Format format = Format::f64;
    // What 2^6 additions round off is below 2^(e - 40), for elements below 2^(e + 1), and a multiple of the
    // least one's last place.
    static constexpr std::uint64_t exponents = 40;
    // Far from overflow.
    static constexpr std::uint64_t ceiling = std::uint64_t{0x7e7} << 53;  // 2^1000, doubled

    // `greatest` and `least` are bits of magnitudes, doubled; the least of all but zeros, less one.
    struct Part {
        Doubles sum = {}, rest = {};
        UnsignedLongs greatest = {}, least = ~UnsignedLongs{};
    };

    static SAMESUM_INLINE Part part_of(const ShortRows& rows) {
        Part part;
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) {
            Doubles x = load<Doubles>(p), error;
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            balanced_two_sum(part.sum, x, part.sum, error);
            part.rest += error;
            const UnsignedLongs size = reinterpret_cast<UnsignedLongs>(x) << 1, less = size - 1;
            part.greatest = part.greatest > size ? part.greatest : size;
            part.least = part.least < less ? part.least : less;
        }
        return part;
    }

    static SAMESUM_INLINE Longs inexact(const Part& part) {
        return reinterpret_cast<Longs>((part.greatest - part.least > exponents << 53) |
                                       (part.greatest > ceiling));
    }

    // A set that comes near to overflow, or has no finite elements only, fails.
    static Verdict<format> tested(const Part& part, Longs inexact, double rows) {
        const Longs wild = reinterpret_cast<Longs>(part.greatest > ceiling);
        const Doubles greatest = reinterpret_cast<Doubles>(part.greatest >> 1), none = {};
        const Doubles bound = greatest * (rows * rows * rows * 0x1.02p-106) + 0x1p-1070;
        Verdict<format> verdict =
            WordsTest<format, finalize>::of(part.sum, part.rest, inexact ? bound : none, rows);
        verdict.wrong |= narrowed_mask(wild);
        return verdict;
    }

    // Of an exact sum; logarithms are left to the test.
    static SAMESUM_INLINE Verdict<format> concluded(const Part& part, double rows, double inverse) {
        if constexpr (finalize == Finalize::logarithm) return {Longs{}, ~Words{}};
        if (finalize == Finalize::over_count && inverse == 0)
            return finished_words<finalize>(part.sum, part.rest, rows);
        const Doubles total = part.sum + part.rest;
        if constexpr (finalize == Finalize::itself) return {reinterpret_cast<Longs>(total), Words{}};
        const Doubles q = total * inverse;
        return {reinterpret_cast<Longs>(q), narrowed_mask(q * rows != total)};  // it may underflow
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count);
        const double inverse = (count & (count - 1)) == 0 ? 1 / rows : 0;  // where it is exact
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short<Float64>(all, n, out, failed, [=](const ShortRows& some) {
            const Part part = part_of(some);
            const Longs doubtful = inexact(part);
            Verdict<format> verdict = concluded(part, rows, inverse);
            if (any_bit(narrowed_mask(doubtful) | verdict.wrong)) verdict = tested(part, doubtful, rows);
            return verdict;
        });
    }
};

// Sums of squares and their roots; they bound themselves.
template <Finalize finalize>
struct ShortDoubleSquares {
    static constexpr Format format = Format::f64;

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        // Of the low word, which is below count * 2^-52 of the sum, each of 2 * count additions.
        const double rows = static_cast<double>(count), lost = (rows + 2) * (rows + 2) * 0x1p-104;
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short<Float64>(all, n, out, failed, [=](const ShortRows& some) {
            Doubles sum = {}, rest = {};
            const char* p = some.p;
            for (std::size_t r = 0; r < some.count; ++r, p += some.stride) {
                const Doubles value = load<Doubles>(p), square = value * value;
                Doubles error;
                balanced_two_sum(sum, square, sum, error);
                rest += error + square_error(value, square);
            }
            if constexpr (finalize == Finalize::root) {
                Verdict<format> verdict = finished_words<finalize>(sum, rest, rows);
                if (any_bit(verdict.wrong)) verdict = tested(sum, rest, lost);
                return verdict;
            } else {
                Verdict<format> verdict = nearly(sum, rest, lost);
                verdict.wrong |= ~narrowed_mask((sum > safe_floor) & (sum < safe_ceiling));
                return verdict;
            }
        });
    }

    static Verdict<format> tested(Doubles sum, Doubles rest, double lost) {
        Verdict<format> verdict = WordsTest<format, finalize>::of(sum, rest, sum * lost, 1);
        verdict.wrong |= ~narrowed_mask((sum > safe_floor) & (sum < safe_ceiling));
        return verdict;
    }
};

}  // namespace samesum::SAMESUM_ISA
