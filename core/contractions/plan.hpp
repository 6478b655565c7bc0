// How a product is cut into strips of columns, which are packed before they are multiplied, and tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "contractions/contraction.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

// Columns of a strip that is read where it lies: more of memory is read in one go.
constexpr std::size_t direct_columns = 4 * contraction_columns;

struct ContractionPlan {
    const Contraction& call;
    const ContractionMethods& methods = *current_instruction_set().contractions;
    const bool is_real = is_float(call.a.format);
    const ContractionMethod& method = is_real                         ? methods.floats
                                      : size_of(call.out.format) <= 4 ? methods.words32
                                                                      : methods.words64;
    const std::size_t rows = call.a.outer.size(), columns = call.b.outer.size(), terms = call.a.inner.size();
    // How a strip comes to its tiles: packed; or, for few rows, as it lies, by runs of columns side by side
    // or by columns whose terms are side by side.
    enum class Way : std::uint8_t { packed, columns, terms };
    const Way way = chosen_way();
    const std::size_t most_columns = way == Way::packed
                                         ? contraction_columns
                                         : std::clamp(columns / 8, contraction_columns, direct_columns);
    const std::size_t tile_rows = std::min(contraction_rows, rounded_up(rows, method.rows)),
                      tile_columns = rounded_up(std::min(most_columns, columns), method.columns);
    const std::size_t row_tiles = (rows + tile_rows - 1) / tile_rows,
                      column_tiles = (columns + tile_columns - 1) / tile_columns;
    const std::size_t panels = tile_columns / method.columns,  // of a strip
        panel_bytes = rounded_up(terms * method.columns * method.column_size, 64);

    // Roundings that a sum goes through, at most. (Lemma 85)
    double additions() const {
        const std::size_t block = way == Way::columns ? direct_block : contraction_block;
        return static_cast<double>(std::min(terms, block) + terms / block + 3 + contraction_vector);
    }

  private:
    Way chosen_way() const;
};

// Columns [first, first + count) of batch g, packed.
struct ContractionStrip {
    std::size_t g, first, count;
    char* panels;   // null: not packed
    double* norms;  // of floats
};

bool are_neighbours(const std::int64_t* places, std::size_t n, std::size_t size);

// Makes panels [begin, end) of a strip and the norms of their columns.
void pack_panels(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t begin,
                 std::size_t end);

}  // namespace samesum
