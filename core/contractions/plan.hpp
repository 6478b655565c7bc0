// How a product is cut into strips of columns, which are packed before they are multiplied, and tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "contractions/contraction.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

struct ContractionPlan {
    const Contraction& call;
    const ContractionMethods& methods = *current_instruction_set().contractions;
    const bool is_real = is_float(call.a.format);
    const ContractionMethod& method = is_real                         ? methods.floats
                                      : size_of(call.out.format) <= 4 ? methods.words32
                                                                      : methods.words64;
    const std::size_t rows = call.a.outer.size(), columns = call.b.outer.size(), terms = call.a.inner.size();
    const std::size_t tile_rows = std::min(contraction_rows, rounded_up(rows, method.rows)),
                      tile_columns = std::min(contraction_columns, rounded_up(columns, method.columns));
    const std::size_t row_tiles = (rows + tile_rows - 1) / tile_rows,
                      column_tiles = (columns + tile_columns - 1) / tile_columns;
    const std::size_t panels = tile_columns / method.columns,  // of a strip
        panel_bytes = rounded_up(terms * method.columns * method.column_size, 64);

    // Roundings that a sum goes through, at most. (Lemma 85)
    double additions() const {
        return static_cast<double>(std::min(terms, contraction_block) + terms / contraction_block + 3);
    }
};

// Columns [first, first + count) of batch g, packed.
struct ContractionStrip {
    std::size_t g, first, count;
    char* panels;
    double* norms;  // of floats
};

}  // namespace samesum
