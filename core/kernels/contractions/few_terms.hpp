// Few rows of few terms times columns that lie side by side: sums, their bounds and results in one go.
#pragma once

#include "kernels/contractions/direct.hpp"
#include "kernels/contractions/results.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, std::size_t rows>
struct FewTermsResults {
    static constexpr std::size_t together = 4 / rows;  // vectors of columns

    // Of n columns at p, or of whole vectors of them; their results go to those of column j. (Lemmas 5, 85)
    template <std::size_t vectors, bool whole>
    static SAMESUM_INLINE Words add(const char* p, std::size_t n, const OperandPart& part, const FewTerms& of,
                                    std::size_t j) {
        using Round = Rounding<F::format>;
        Doubles sum[rows][vectors] = {}, squares[vectors] = {};
        add_side_by_side<F, whole>(p, n, part, of.terms, part.term_count, sum, squares);
        Words wrong = {};
        for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
            const Doubles norm = root_above(squares[v]);
            for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
                Doubles value, rest;
                two_sum(sum[r][v], Doubles{} + of.addends[r], value, rest);
                const auto found = plain_verdict<F::format>(
                    value, norm * of.factors[r] + samesum::SAMESUM_ISA::magnitude(rest));
                wrong |= found.wrong;
                char* const to = of.out[r] + (j + v * width) * F::size;
                if constexpr (whole) {
                    Round::store_to(to, 0, found.bits);
                } else {
                    char last[width * F::size];
                    Round::store_to(last, 0, found.bits);
                    __builtin_memcpy(to, last, n * F::size);
                }
            });
        });
        return wrong;
    }

    // The last whole vector takes some columns again.
    static bool run(const OperandPart& part, const FewTerms& of) {
        const char* const p = part.data + part.rows[0];
        const std::size_t n = part.row_count;
        if (n < width) return !any_bit(add<1, false>(p, n, part, of, 0));
        Words wrong = {};
        std::size_t j = 0;
        for (; j + together * width <= n; j += together * width)
            wrong |= add<together, true>(p + j * F::size, 0, part, of, j);
        for (; j < n; j += width) {
            const std::size_t at = j + width <= n ? j : n - width;
            wrong |= add<1, true>(p + at * F::size, 0, part, of, at);
        }
        return !any_bit(wrong);
    }
};

inline bool finish_few_terms(const OperandPart& part, const FewTerms& of) {
    bool all = false;
    in_format_within<Format::f32>(part.format, [&]<Format format>() {
        using F = Narrow<format>;
        all = of.count == 1   ? FewTermsResults<F, 1>::run(part, of)
              : of.count == 2 ? FewTermsResults<F, 2>::run(part, of)
                              : FewTermsResults<F, 4>::run(part, of);
    });
    return all;
}

}  // namespace samesum::SAMESUM_ISA
