// Sums of whole sets of few float64 elements. Where the magnitudes of a set lie close together, its sum and
// the sum of what was rounded off it are exact, so that one addition gives the result.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/short.hpp"

namespace samesum::SAMESUM_ISA {

template <Map map, Finalize finalize>
struct ShortDoubleSum {
    static constexpr Format format = Format::f64;
    // What 2^4 additions round off is below 2^(e - 44), for elements below 2^(e + 1), and a multiple of the
    // least one's last place.
    static constexpr std::uint64_t exponents = 44;
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

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count), inverse = 1 / rows;
        const bool shifts = (count & (count - 1)) == 0;
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short<Float64>(all, n, out, failed, [=](const ShortRows& some) {
            const Part part = part_of(some);
            Longs doubtful = inexact(part);
            Doubles result = part.sum + part.rest;
            if constexpr (finalize == Finalize::over_count) {
                const Doubles total = result;
                result = total * inverse;
                doubtful |= shifts ? result * rows != total : ~Longs{};
            }
            if (finalize != Finalize::logarithm && !any(doubtful))
                return Verdict<format>{reinterpret_cast<Longs>(result), Words{}};
            return tested(part, inexact(part), rows);
        });
    }
};

}  // namespace samesum::SAMESUM_ISA
