// Few rows of few terms times columns that lie side by side: sums, their bounds and results in one go.
#pragma once

#include "kernels/contractions/direct.hpp"
#include "kernels/contractions/results.hpp"

namespace samesum::SAMESUM_ISA {

// F: of the columns.
template <Format format, class F, std::size_t rows>
struct FewTermsResults {
    using Round = Rounding<format>;
    static constexpr std::size_t size = size_of(format);
    static constexpr std::size_t together = 4 / rows;  // vectors of columns

    // Of n columns at p, or of whole vectors of them from number j on, the last of which ends with the last
    // column. Bounds are `reach` of each row, or come from the norm of each column. (Lemmas 5, 85)
    template <std::size_t vectors, bool whole, bool by_norms>
    static SAMESUM_INLINE bool are_certain(const char* p, const OperandPart& part, const FewTerms& of,
                                           std::size_t j, const Doubles* reach) {
        const std::size_t n = part.row_count;
        std::size_t at[vectors];
        for (std::size_t v = 0; v < vectors; ++v)
            at[v] = whole && j + (v + 1) * width > n ? n - width : j + v * width;
        Doubles sum[rows][vectors], squares[vectors] = {};
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            for_each_of<vectors>([&](std::size_t v)
                                     SAMESUM_INLINED { sum[r][v] = Doubles{} + of.addends[r]; });
        });
        add_side_by_side<F, whole, by_norms>(p, n, at, part, of.terms, part.term_count, sum, squares);
        Words wrong = {};
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                Verdict<format> found;
                if constexpr (by_norms) {
                    const Doubles most =
                        root_above(squares[v]) * of.norms[r] + samesum::magnitude(of.addends[r]);
                    found = plain_verdict<format>(sum[r][v], most * of.factor);
                } else {
                    found.bits = Round::of_number(sum[r][v] - reach[r]);
                    found.wrong = Round::different(found.bits, Round::of_number(sum[r][v] + reach[r]));
                }
                wrong |= found.wrong;
                char* const to = of.out[r] + at[v] * size;
                if constexpr (whole) {
                    Round::store_to(to, 0, found.bits);
                } else {
                    char last[width * size];
                    Round::store_to(last, 0, found.bits);
                    __builtin_memcpy(to, last, n * size);
                }
            });
        });
        return !any_bit(wrong);
    }

    static bool run(const OperandPart& part, const FewTerms& of) {
        const char* const p = part.data + part.rows[0];
        const std::size_t n = part.row_count;
        Doubles reach[rows];
        bool is_quick = true;
        for (std::size_t r = 0; r < rows; ++r) {
            const double most = of.greatest * of.sizes[r] + samesum::magnitude(of.addends[r]);
            reach[r] = widened(Doubles{} + most * of.factor, Doubles{} + most);
            is_quick &= most < infinity;
        }
        const auto make = [&]<std::size_t vectors, bool whole>(std::size_t j) SAMESUM_INLINED {
            return (is_quick && are_certain<vectors, whole, false>(p, part, of, j, reach)) ||
                   are_certain<vectors, whole, true>(p, part, of, j, reach);
        };
        if (n < width) return make.template operator()<1, false>(0);
        std::size_t j = 0;
        for (; j + (together - 1) * width < n; j += together * width)
            if (!make.template operator()<together, true>(j)) return false;
        if constexpr (together > 2) {
            for (; j + width < n; j += 2 * width)
                if (!make.template operator()<2, true>(j)) return false;
        }
        for (; j < n; j += width)
            if (!make.template operator()<1, true>(j)) return false;
        return true;
    }
};

inline bool finish_few_terms(const OperandPart& part, const FewTerms& of) {
    bool all = false;
    in_format_within<Format::f32>(of.format, [&]<Format format>() {
        const auto run = [&]<class F>(F) {
            all = of.count == 1   ? FewTermsResults<format, F, 1>::run(part, of)
                  : of.count == 2 ? FewTermsResults<format, F, 2>::run(part, of)
                                  : FewTermsResults<format, F, 4>::run(part, of);
        };
        part.format == Format::f64 ? run(Float64{}) : run(Narrow<format>{});
    });
    return all;
}

// Infinity where one is not finite: `greater` keeps its second operand beside NaN.
inline double widen_elements(const char* from, std::size_t n, Format format, double* to) {
    constexpr std::size_t together = 4;
    Doubles greatest[together] = {}, rest[together] = {};
    in_format_within<Format::f32>(format, [&]<Format of>() {
        using F = Narrow<of>;
        const auto take = [&](Doubles x, std::size_t i) SAMESUM_INLINED {
            greatest[i] = greater(magnitude(x), greatest[i]);
            rest[i] += x - x;
            return x;
        };
        std::size_t j = 0;
        for (; j + together * width <= n; j += together * width)
            for_each_of<together>([&](std::size_t i) SAMESUM_INLINED {
                const std::size_t at = j + i * width;
                store(to + at, take(F::doubles(from + at * F::size), i));
            });
        for (; j + width <= n; j += width) store(to + j, take(F::doubles(from + j * F::size), 0));
        if (j == n) return;
        const Doubles last = take(first_doubles<F>(from + j * F::size, n - j), 0);
        for (std::size_t l = 0; j + l < n; ++l) to[j + l] = last[l];
    });
    const Doubles all = greater(greater(greatest[0], greatest[1]), greater(greatest[2], greatest[3])),
                  rests = (rest[0] + rest[1]) + (rest[2] + rest[3]);
    double most = 0, odd = 0;
    for (std::size_t l = 0; l < width; ++l) most = all[l] > most ? all[l] : most, odd += rests[l];
    return odd == 0 ? most : infinity;
}

}  // namespace samesum::SAMESUM_ISA
