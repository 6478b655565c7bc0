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

    static constexpr bool squares = map == Map::square;

    // `greatest` and `least` are magnitudes; squares bound their own sum.
    struct Part {
        Doubles sum = {}, rest = {}, greatest = {}, least = Doubles{} + infinity;

        SAMESUM_INLINE void take(Doubles x) {
            Doubles error;
            if constexpr (squares) {
                const Doubles square = x * x;
                balanced_two_sum(sum, square, sum, error);
                rest += error + square_error(x, square);
                return;
            }
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            balanced_two_sum(sum, x, sum, error);
            rest += error;
            greatest = greater_magnitude(greatest, x);
            least = lesser_magnitude(least, x);
        }

        // What n <= 2^6 additions round off is below 2^(e - 40), for elements below 2^(e + 1), and a multiple
        // of the least one's last place: where they are so close together the sum of two words is exact.
        // Else `rest` lost something in each addition, whose result is below n^2 2^-53 of the greatest
        // element; three times as much. Of squares the low word is below n * 2^-52 of the sum, and loses u of
        // that in each of 2 n additions. (Lemma 22)
        SAMESUM_INLINE Doubles bound(double n) const {
            if constexpr (squares) return sum * ((n + 2) * (n + 2) * 0x1p-104);
            const Doubles none = {}, lost = greatest * (n * n * n * 0x1.8p-105);
            return greatest <= least * 0x1p39 ? none : lost;
        }
    };

    // Sums of squares whose errors may have been lost.
    static SAMESUM_INLINE Longs is_wild(const Part& part) {
        if constexpr (!squares) return Longs{};
        return ~((part.sum > safe_floor) & (part.sum < safe_ceiling));
    }

    // Overflow on the way leaves a NaN; that of the two words together is no mean.
    static SAMESUM_INLINE Verdict<format> quickly(const Part& part, double rows, double inverse) {
        const Doubles bound = part.bound(rows);
        if constexpr (finalize == Finalize::root) {
            return finished_words<finalize>(part.sum, part.rest, bound, rows);
        } else if constexpr (finalize == Finalize::logarithm) {
            return WordsTest<format, finalize>::of(part.sum, part.rest, bound, Doubles{} + rows);
        } else if (finalize == Finalize::over_count && inverse == 0) {
            return finished_words<finalize>(part.sum, part.rest, bound, rows);
        } else {
            const Doubles low = part.sum + (part.rest - bound), high = part.sum + (part.rest + bound);
            if constexpr (finalize == Finalize::itself)
                return {reinterpret_cast<Longs>(low), narrowed_mask((low != high) | is_wild(part))};
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
            if constexpr (!squares) wild |= ~(samesum::SAMESUM_ISA::magnitude(x) < ceiling);
            part.take(x);
            part.least = x == 0 ? least : part.least;
        }
        const Doubles bound = part.bound(count);
        Verdict<format> verdict = WordsTest<format, finalize>::of(
            part.sum, part.rest, bound > 0 ? bound + 0x1p-1070 : none, none + count);
        verdict.wrong |= narrowed_mask(wild | is_wild(part));
        return verdict;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count);
        const double inverse = (count & (count - 1)) == 0 ? 1 / rows : 0;  // where it is exact
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short_sets<Float64>(
            all, n, out, failed, Part{}, [](Part& part, const char* p) { part.take(load<Doubles>(p)); },
            [=](const Part& part, const ShortRows& some) {
                const Verdict<format> verdict = quickly(part, rows, inverse);
                return any_bit(verdict.wrong) ? carefully(some) : verdict;
            });
    }
};

}  // namespace samesum::SAMESUM_ISA
