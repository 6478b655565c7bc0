// Few rows times columns that are read where they lie: side by side, or each term after term. Beside the sums
// the squares of each column are added up.
#pragma once

#include "kernels/contractions/panels.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

// To sums of rows, `pitch` terms one after the other, the products with n columns at p, or with whole vectors
// of them from numbers `at` on; and their squares, where they are wanted.
template <class F, bool whole, bool squared, std::size_t rows, std::size_t vectors>
SAMESUM_INLINE void add_side_by_side(const char* p, std::size_t n, const std::size_t (&at)[vectors],
                                     const OperandPart& part, const double* terms, std::size_t pitch,
                                     Doubles (&sum)[rows][vectors], Doubles (&squares)[vectors]) {
    for (std::size_t k = 0; k < part.term_count; ++k) {
        const char* const q = p + part.terms[k];
        Doubles y[vectors];
        for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
            y[v] = whole ? F::doubles(q + at[v] * F::size) : first_doubles<F>(q, n);
            if constexpr (squared) squares[v] = roughly_fused(y[v], y[v], squares[v]);
        });
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            const Doubles x = terms[r * pitch + k] - Doubles{};
            for_each_of<vectors>([&](std::size_t v)
                                     SAMESUM_INLINED { sum[r][v] = roughly_fused(x, y[v], sum[r][v]); });
        });
    }
}

template <class F, std::size_t rows>
struct FewRowsSums {
    static constexpr std::size_t together = rows > 2 ? 2 : 4;  // vectors of columns, or columns

    // (Lemma 85)
    template <std::size_t vectors, bool whole>
    static SAMESUM_INLINE void add_columns(const char* p, std::size_t n, const OperandPart& part,
                                           const FewRows& of, std::size_t j) {
        Doubles sum[rows][vectors] = {}, squares[vectors];
        for_each_of<vectors>([&](std::size_t v)
                                 SAMESUM_INLINED { squares[v] = load<Doubles>(of.squares + j + v * width); });
        std::size_t at[vectors];
        for (std::size_t v = 0; v < vectors; ++v) at[v] = v * width;
        add_side_by_side<F, whole, true>(p, n, at, part, of.terms, of.term_pitch, sum, squares);
        for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
            store(of.squares + j + v * width, squares[v]);
            for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
                double* const to = of.sums + r * of.pitch + j + v * width;
                // Beyond n columns are sums of others, to which infinity times a zero that is not there adds
                // NaN.
                if constexpr (whole)
                    store(to, load<Doubles>(to) + sum[r][v]);
                else
                    for (std::size_t i = 0; i < n; ++i) to[i] += sum[r][v][i];
            });
        });
    }

    // Memory is asked for the terms that follow in whole rows, some of them before each group of columns.
    static void columns(const OperandPart& part, const FewRows& of) {
        const char* const p = part.data + part.rows[0];
        const std::size_t n = part.row_count, terms = part.term_count;
        const std::size_t share = of.is_followed ? (terms * together * width + n - 1) / n : 0;
        std::size_t j = 0, asked = 0;
        for (; j + together * width <= n; j += together * width) {
            const std::size_t end = asked + share < terms ? asked + share : terms;
            for (; asked < end; ++asked) prefetch_rows<1>(p + part.terms[terms + asked], 0, n * F::size);
            add_columns<together, true>(p + j * F::size, 0, part, of, j);
        }
        if constexpr (together > 2) {
            if (j + 2 * width <= n) add_columns<2, true>(p + j * F::size, 0, part, of, j), j += 2 * width;
        }
        for (; j + width <= n; j += width) add_columns<1, true>(p + j * F::size, 0, part, of, j);
        if (j < n) add_columns<1, false>(p + j * F::size, n - j, part, of, j);
    }

    static SAMESUM_INLINE double folded(Doubles v) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += v[i];
        return sum;
    }

    template <std::size_t count>
    static SAMESUM_INLINE void add_terms(const OperandPart& part, const FewRows& of, std::size_t j) {
        const char* p[count];
        for (std::size_t c = 0; c < count; ++c) p[c] = part.data + part.rows[j + c] + part.terms[0];
        Doubles total[rows][count] = {}, squares[count] = {};
        for (std::size_t begin = 0; begin < part.term_count; begin += contraction_block * width) {
            const std::size_t end = begin + contraction_block * width < part.term_count
                                        ? begin + contraction_block * width
                                        : part.term_count;
            Doubles sum[rows][count] = {};
            const auto add = [&](std::size_t k, const auto& column, const auto& row) SAMESUM_INLINED {
                Doubles y[count];
                for_each_of<count>([&](std::size_t c) SAMESUM_INLINED {
                    y[c] = column(p[c] + k * F::size);
                    squares[c] = roughly_fused(y[c], y[c], squares[c]);
                });
                for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
                    const Doubles x = row(of.terms + r * of.term_pitch + k);
                    for_each_of<count>([&](std::size_t c) SAMESUM_INLINED {
                        sum[r][c] = roughly_fused(x, y[c], sum[r][c]);
                    });
                });
            };
            std::size_t k = begin;
            for (; k + width <= end; k += width) {
                for_each_of<count>([&](std::size_t c)
                                       SAMESUM_INLINED { prefetch_run<64>(p[c] + k * F::size); });
                add(
                    k, [](const char* q) SAMESUM_INLINED { return F::doubles(q); },
                    [](const double* q) SAMESUM_INLINED { return load<Doubles>(q); });
            }
            if (k < end)
                add(
                    k, [&](const char* q) SAMESUM_INLINED { return first_doubles<F>(q, end - k); },
                    [&](const double* q) SAMESUM_INLINED {
                        return first_doubles<Float64>(reinterpret_cast<const char*>(q), end - k);
                    });
            for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
                for_each_of<count>([&](std::size_t c) SAMESUM_INLINED { total[r][c] += sum[r][c]; });
            });
        }
        for_each_of<count>([&](std::size_t c) SAMESUM_INLINED {
            of.squares[j + c] = folded(squares[c]);
            for_each_of<rows>([&](std::size_t r)
                                  SAMESUM_INLINED { of.sums[r * of.pitch + j + c] = folded(total[r][c]); });
        });
    }

    static void terms(const OperandPart& part, const FewRows& of) {
        std::size_t j = 0;
        for (; j + together <= part.row_count; j += together) add_terms<together>(part, of, j);
        for (; j < part.row_count; ++j) add_terms<1>(part, of, j);
    }

    static void add(const OperandPart& part, const FewRows& of) {
        of.by_terms ? terms(part, of) : columns(part, of);
    }
};

inline void multiply_directly(const OperandPart& part, const FewRows& of) {
    in_format_within<Format::f32>(part.format, [&]<Format format>() {
        using F = Narrow<format>;
        of.count == 1   ? FewRowsSums<F, 1>::add(part, of)
        : of.count == 2 ? FewRowsSums<F, 2>::add(part, of)
                        : FewRowsSums<F, 4>::add(part, of);
    });
}

}  // namespace samesum::SAMESUM_ISA
