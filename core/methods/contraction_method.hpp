// What the methods of products are given and give: sums of products of the rows of one operand and the
// columns of another one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

// So many terms are added up before their sum joins the total of an element. (Lemma 85)
constexpr std::size_t contraction_block = 128;
// Of columns that are read where they lie, whose sums are all to be near.
constexpr std::size_t direct_block = 32;
// Elements of the result that a task makes, at most: whole panels of every method.
constexpr std::size_t contraction_rows = 96, contraction_columns = 240;
// Numbers of columns are read and written in whole vectors.
constexpr std::size_t contraction_vector = 16;

// Where Winograd's products are evaluated. (Lemma 91)
constexpr std::size_t winograd_points = 6;

// Whether elements of this size at these offsets lie side by side, in this order.
inline bool are_neighbours(const std::int64_t* offsets, std::size_t n, std::size_t size) {
    for (std::size_t i = 1; i < n; ++i)
        if (offsets[i] - offsets[0] != static_cast<std::int64_t>(i * size)) return false;
    return true;
}

// Some rows, or columns, of an operand: term k of number r lies at data + rows[r] + terms[k].
struct OperandPart {
    const char* data;
    const std::int64_t *rows, *terms;  // bytes
    std::size_t row_count, term_count;
    Format format;
};

// Of elements of one kind. A panel has term after term, each of as many rows or columns as a tile in
// registers; those that an operand lacks are any numbers.
struct ContractionMethod {
    std::size_t rows, columns;                    // of a tile in registers
    std::size_t row_size, column_size, sum_size;  // bytes of an element
    // Up to `rows` rows and up to `columns` columns.
    void (*pack_rows)(const OperandPart& part, void* panel);
    void (*pack_columns)(const OperandPart& part, void* panel);
    // Add the sums of the products of at most contraction_block terms to a tile whose rows are `pitch`
    // elements apart, of its first n columns.
    void (*multiply)(const void* rows, const void* columns, std::size_t n, std::size_t terms, void* sums,
                     std::size_t pitch);
};

// hi + lo is within factor * bounds[j] of the sum of the products of column j; for the test of one word that
// is at least 16 times 2^-53 of hi. All are readable in whole vectors.
struct ContractionSums {
    const double *hi, *lo;  // lo: null where all are zero
    const double* bounds;
    double factor;
    const double* addends;  // null where there are none
    double alpha, beta;
    bool in_words;  // the test of two words; else the one of one word, for sums that overflow no double
};

// Of rows or columns: Euclidean norms, sums of magnitudes, greatest magnitudes and last bits that are set.
struct ContractionMeasures {
    double *norms, *sizes, *greatest, *last;
};

// Rows in float64, 1, 2 or 4 of them, the terms of each side by side, and the sums of their products with
// columns that are read where they lie.
struct FewRows {
    const double* terms;
    std::size_t term_pitch, count;
    double* sums;  // of each row `pitch` elements after those of the one before, to be added to
    std::size_t pitch;
    double* squares;   // of each column, likewise
    bool by_terms;     // the terms of each column lie side by side, and nothing is there to be added to
    bool is_followed;  // by as many terms, whose columns are asked for
};

// Rows in float64, 1, 2 or 4 of them, the terms of each side by side, one row after the other; their
// Euclidean norms, the sums of their magnitudes, what is added to them, and where the results of each lie
// side by side. A sum is off by `factor` times what its terms and the addend come to in magnitude.
struct FewTerms {
    const double* terms;
    std::size_t count;
    const double *norms, *sizes, *addends;
    double greatest;  // magnitude of all columns, or infinity
    double factor;
    char* const* out;
    Format format;  // of the results
};

// Of Winograd's products, whose panels have float64 for both operands; those of each point lie `pitch`
// elements after those of the one before.
struct WinogradMethods {
    void (*transform_taps)(const double* panel, std::size_t lines, std::size_t taps, double* to,
                           std::size_t pitch, double* squares);
    void (*transform_columns)(const OperandPart& part, double* to, std::size_t pitch, double* squares);
    void (*multiply)(const void* rows, const void* columns, std::size_t n, std::size_t terms, void* sums,
                     std::size_t pitch);
    void (*combine)(const double* sums, std::size_t pitch, std::size_t n, const double* row,
                    const double* columns, std::size_t columns_pitch, double* hi, double* bounds);
};

struct ContractionMethods {
    ContractionMethod floats, words32, words64;
    WinogradMethods winograd;
    // Add the squares of all terms of a panel, apart for each row or column.
    void (*row_squares)(const void* panel, std::size_t terms, double* squares);
    void (*column_squares)(const void* panel, std::size_t terms, double* squares);
    // Add to the other measures.
    void (*measure_rows)(const void* panel, std::size_t terms, const ContractionMeasures& to);
    void (*measure_columns)(const void* panel, std::size_t terms, const ContractionMeasures& to);
    // At most so much the magnitudes of the products of a row and n columns add up to, and so much times
    // `factor` their sums are off by.
    void (*bound)(const ContractionMeasures& row, const ContractionMeasures& columns, std::size_t n,
                  double factor, double* sizes, double* bounds);
    // As `multiply` of floats, where `hi` begins with anchors: what it loses is added to `lo`.
    void (*multiply_twice)(const void* rows, const void* columns, std::size_t terms, double* hi, double* lo,
                           std::size_t pitch);
    // Few rows times columns that are neighbours, of a block of terms that follows the last one, or all
    // terms.
    void (*multiply_directly)(const OperandPart& columns, const FewRows& rows);
    // Few rows of few terms times columns that are neighbours, in float64 or the format of the results; false
    // if one of these is not certain.
    bool (*finish_few_terms)(const OperandPart& columns, const FewTerms& rows);
    // Elements side by side in float64; returns the greatest magnitude, infinity where one is not finite.
    double (*widen)(const char* from, std::size_t n, Format format, double* to);
    // The terms of the first row of a part as float32 or float64, side by side.
    void (*gather)(const OperandPart& part, Format format, void* to);
    // Write alpha (hi + lo) + beta addend, rounded to the format, of n columns; failed[j] tells which could
    // not be certified. Returns how many those are.
    std::size_t (*finish)(const ContractionSums& sums, std::size_t n, Format format, void* out,
                          std::uint8_t* failed);
};

}  // namespace samesum
