// Sums of whole sets of few float64 elements.
#pragma once

#include "kernels/certify/words.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

// The double nearest to q + (d + rest) / slope, less than 3/2 of a last place of q away; `rest` is what was
// rounded off d. Both may be off by 2^-22 of what half a last place makes, if `rest` is not zero. (Lemma 23)
SAMESUM_INLINE Verdict<Format::f64> stepped(Doubles q, Doubles d, Doubles rest, Doubles slope) {
    constexpr std::int64_t exponent = std::int64_t{0x7ff} << 52;
    const Longs bits = reinterpret_cast<Longs>(q), none = {};
    const Doubles place = reinterpret_cast<Doubles>(bits & exponent) * 0x1p-52;
    const Doubles half = slope * place * 0.5, size = samesum::SAMESUM_ISA::magnitude(d);
    const Longs tie = (size == half) & (rest == 0), odd = (bits & 1) != none;
    const Doubles result = (size > half) | (tie & odd) ? q + (d < 0 ? -place : place) : q;
    const Longs apart = (samesum::SAMESUM_ISA::magnitude(size - half) > half * 0x1p-20) & (size < half * 2.9);
    // Below a power of two the last place is another. (One place above it, q is never off by more than one.)
    const Longs even = ((bits & ~exponent & INT64_MAX) != none) | (size < half * 0.25);
    return {reinterpret_cast<Longs>(result), ~narrowed_mask((tie | apart) & even)};
}

// The quotient by a count of a sum of two words that is off by less than `bound`, or its root, if certain.
template <Finalize finalize>
SAMESUM_INLINE Verdict<Format::f64> finished_words(Doubles sum, Doubles small, Doubles bound, double count) {
    Doubles total, low;
    two_sum(sum, small, total, low);
    constexpr bool mean = finalize == Finalize::over_count;
    const Doubles counts = Doubles{} + count;
    const Doubles q = mean ? total / counts : square_root(total);
    const Doubles remainder = fused(-q, mean ? counts : q, total);
    Doubles d, rest;
    two_sum(remainder, low, d, rest);
    const Doubles size = samesum::SAMESUM_ISA::magnitude(total);
    Verdict<Format::f64> verdict =
        stepped(q, d, mean ? (bound > 0 ? counts : rest) : counts, mean ? counts : 2 * q);
    const Longs usable = (size > safe_floor) & (size < safe_ceiling) & (bound < size * 0x1p-76);
    verdict.wrong |= ~narrowed_mask(usable);
    return verdict;
}

template <Map map, Finalize finalize>
struct ShortDoubleSum {
    static constexpr Format format = Format::f64;
    static constexpr std::size_t together = 2;  // vectors

    // `greatest` and `least` are magnitudes.
    struct Part {
        Doubles sum = {}, rest = {}, greatest = {}, least = Doubles{} + infinity;

        SAMESUM_INLINE void take(Doubles x) {
            Doubles error;
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            balanced_two_sum(sum, x, sum, error);
            rest += error;
            greatest = greater_magnitude(greatest, x);
            least = lesser_magnitude(least, x);
        }

        // What n <= 2^6 additions round off is below 2^(e - 40), for elements below 2^(e + 1), and a multiple
        // of the least one's last place: where they are so close together the sum of two words is exact.
        // Else `rest` lost something in each addition, whose result is below n^2 2^-53 of the greatest
        // element; three times as much. (Lemma 22)
        SAMESUM_INLINE Doubles bound(double n) const {
            const Doubles none = {}, lost = greatest * (n * n * n * 0x1.8p-105);
            return greatest <= least * 0x1p39 ? none : lost;
        }
    };

    // Overflow on the way leaves a NaN; that of the two words together is no mean.
    static SAMESUM_INLINE Verdict<format> quickly(const Part& part, double rows, double inverse) {
        const Doubles bound = part.bound(rows);
        if constexpr (finalize == Finalize::logarithm) {
            return WordsTest<format, finalize>::of(part.sum, part.rest, bound, Doubles{} + rows);
        } else if (finalize == Finalize::over_count && inverse == 0) {
            return finished_words<finalize>(part.sum, part.rest, bound, rows);
        } else {
            const Doubles low = part.sum + (part.rest - bound), high = part.sum + (part.rest + bound);
            if constexpr (finalize == Finalize::itself)
                return {reinterpret_cast<Longs>(low), narrowed_mask(low != high)};
            const Doubles q = low * inverse;  // it may underflow
            const Longs infinite = samesum::SAMESUM_ISA::magnitude(q) == infinity;
            return {reinterpret_cast<Longs>(q), narrowed_mask((q * rows != high) | infinite)};
        }
    }

    // The same, with zeros left out of the least. Sets that come near to overflow, or have no finite elements
    // only, fail.
    static __attribute__((noinline)) Verdict<format> carefully(const ShortRows& rows) {
        constexpr double ceiling = 0x1p1000;
        const double count = static_cast<double>(rows.count);
        const Doubles none = {};
        Part part;
        Longs wild = {};
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) {
            const Doubles x = load<Doubles>(p), least = part.least;
            wild |= ~(samesum::SAMESUM_ISA::magnitude(x) < ceiling);
            part.take(x);
            part.least = x == 0 ? least : part.least;
        }
        const Doubles bound = part.bound(count);
        Verdict<format> verdict = WordsTest<format, finalize>::of(
            part.sum, part.rest, bound > 0 ? bound + 0x1p-1070 : none, none + count);
        verdict.wrong |= narrowed_mask(wild);
        return verdict;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count);
        const double inverse = (count & (count - 1)) == 0 ? 1 / rows : 0;  // where it is exact
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short_group<Float64, together>(
            all, n, out, failed, [=](const ShortRows& some, auto& verdict) {
                constexpr std::size_t vectors = std::extent_v<std::remove_reference_t<decltype(verdict)>>;
                Part part[vectors];
                const char* p = some.p;
                for (std::size_t r = 0; r < some.count; ++r, p += some.stride)
                    for_each_of<vectors>(
                        [&](std::size_t k) { part[k].take(load<Doubles>(p + k * vector_bytes)); });
                for_each_of<vectors>([&](std::size_t k) {
                    verdict[k] = quickly(part[k], rows, inverse);
                    if (any_bit(verdict[k].wrong))
                        verdict[k] = carefully({some.p + k * vector_bytes, some.stride, some.count});
                });
            });
    }
};

// Sums of squares and their roots; they bound themselves.
template <Finalize finalize>
struct ShortDoubleSquares {
    static constexpr Format format = Format::f64;

    struct Part {
        Doubles sum = {}, rest = {};

        SAMESUM_INLINE void take(Doubles value) {
            const Doubles square = value * value;
            Doubles error;
            balanced_two_sum(sum, square, sum, error);
            rest += error + square_error(value, square);
        }
    };

    // Of the sum, relatively: of the low word, which is below count * 2^-52 of it, each of 2 * count
    // additions. (Lemma 22)
    static double lost_of(double rows) { return (rows + 2) * (rows + 2) * 0x1p-104; }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count), lost = lost_of(rows);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short_group<Float64, 2>(all, n, out, failed, [=](const ShortRows& some, auto& verdict) {
            constexpr std::size_t vectors = std::extent_v<std::remove_reference_t<decltype(verdict)>>;
            Part part[vectors];
            const char* p = some.p;
            for (std::size_t r = 0; r < some.count; ++r, p += some.stride)
                for_each_of<vectors>(
                    [&](std::size_t k) { part[k].take(load<Doubles>(p + k * vector_bytes)); });
            for_each_of<vectors>([&](std::size_t k) { verdict[k] = concluded(part[k], lost, rows); });
        });
    }

    static SAMESUM_INLINE Verdict<format> concluded(const Part& part, double lost, double rows) {
        const Doubles sum = part.sum;
        if constexpr (finalize == Finalize::root) {
            Verdict<format> verdict = finished_words<finalize>(sum, part.rest, sum * lost, rows);
            if (any_bit(verdict.wrong)) verdict = tested(part, lost);
            return verdict;
        } else {
            Verdict<format> verdict = nearly(sum, part.rest, lost);
            verdict.wrong |= ~narrowed_mask((sum > safe_floor) & (sum < safe_ceiling));
            return verdict;
        }
    }

    static Verdict<format> tested(const Part& part, double lost) {
        const Doubles sum = part.sum;
        Verdict<format> verdict = WordsTest<format, finalize>::of(sum, part.rest, sum * lost, Doubles{} + 1);
        verdict.wrong |= ~narrowed_mask((sum > safe_floor) & (sum < safe_ceiling));
        return verdict;
    }
};

}  // namespace samesum::SAMESUM_ISA
