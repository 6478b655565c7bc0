// How a product is cut into strips of columns, which are packed before they are multiplied, and tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "arithmetic/division.hpp"
#include "contractions/contraction.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

// Rows that take columns as they lie, at once.
constexpr std::size_t direct_rows = 4;
// Columns of a strip that is read where it lies: more of memory is read in one go.
constexpr std::size_t direct_columns = 4 * contraction_columns;

struct ContractionPlan {
    const Contraction& call;
    const std::size_t shares;  // of the work, at least
    const ContractionMethods& methods = *current_instruction_set().contractions;
    const bool is_real = is_float(call.a.format);
    const ContractionMethod& method = is_real                         ? methods.floats
                                      : size_of(call.out.format) <= 4 ? methods.words32
                                                                      : methods.words64;
    const std::size_t rows = call.a.outer.size(), columns = call.b.outer.size(), terms = call.a.inner.size();
    // Of each column, the one after the last that lies side by side with it; none where rows are many.
    const std::vector<std::size_t> run_ends = ends_of_runs();
    const bool out_is_row = are_neighbours(call.out.inner.data(), columns, size_of(call.out.format));
    // How a strip comes to its tiles: packed; or, for few rows, as it lies, by runs of columns side by side
    // or by columns whose terms are side by side.
    enum class Way : std::uint8_t { packed, columns, terms };
    const Way way = chosen_way();
    // Of few rows and columns side by side, whose results lie as they do and are nothing but sums and one
    // addend for each row.
    const bool has_few_terms = way == Way::columns && terms <= contraction_block && fits_few_terms();
    const std::size_t most_columns = way == Way::packed ? contraction_columns
                                     : has_few_terms
                                         ? direct_columns
                                         : std::clamp(columns / 8, contraction_columns, direct_columns);
    // Tiles of nearly one size, and enough of them for all shares.
    const std::size_t tile_columns = cut(columns, divided_up(columns, most_columns), method.columns),
                      column_tiles = divided_up(columns, tile_columns);
    const std::size_t shared = divided_up(shares, column_tiles* call.out.batch.size()),
                      most_row_tiles = divided_up(rows, 2 * method.rows),
                      least_row_tiles = divided_up(rows, contraction_rows);
    const std::size_t tile_rows =
                          cut(rows, std::max(std::min(shared, most_row_tiles), least_row_tiles), method.rows),
                      row_tiles = divided_up(rows, tile_rows);
    const std::size_t panels = tile_columns / method.columns,  // of a strip
        panel_bytes = rounded_up(terms * method.columns * method.column_size, 64);

    // Roundings that a sum goes through, at most. (Lemma 85)
    double additions() const {
        const std::size_t block = way == Way::columns ? direct_block : contraction_block;
        return static_cast<double>(std::min(terms, block) + terms / block + 3 + contraction_vector);
    }

  private:
    static std::size_t cut(std::size_t n, std::size_t tiles, std::size_t unit) {
        return rounded_up(divided_up(n, tiles), unit);
    }
    std::vector<std::size_t> ends_of_runs() const;
    Way chosen_way() const;
    bool fits_few_terms() const;
};

// Columns [first, first + count) of batch g, packed.
struct ContractionStrip {
    std::size_t g, first, count;
    char* panels;   // null: not packed
    double* norms;  // of floats
};

// Each becomes a number not below its root, and less than 1.07 times that: half of its exponent, and of its
// fraction. (Lemma 85)
inline void take_norms(double* squares, std::size_t n) {
    constexpr std::uint64_t half_of_one = std::uint64_t{1023} << 51;
    for (std::size_t j = 0; j < n; ++j) {
        const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, squares[j]);
        squares[j] = squares[j] == 0 ? 0 : __builtin_bit_cast(double, (bits >> 1) + half_of_one);
    }
}

// n results side by side go to these places behind `to`.
inline void put_results(const char* from, std::size_t n, std::size_t size, char* to,
                        const std::int64_t* places) {
    const auto put = [&]<class Element>(Element) {
        for (std::size_t j = 0; j < n; ++j)
            std::memcpy(to + places[j], from + j * sizeof(Element), sizeof(Element));
    };
    size == 2 ? put(std::uint16_t{}) : size == 4 ? put(std::uint32_t{}) : put(std::uint64_t{});
}

// All results of rows [first, first + count) and a strip of few terms; false if one is not certain.
bool finish_few_terms(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t first,
                      std::size_t count);

// Makes panels [begin, end) of a strip and the norms of their columns.
void pack_panels(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t begin,
                 std::size_t end);

}  // namespace samesum
