// One tile of outputs over a range of their reduced elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "run/masks/masked.hpp"
#include "run/tiles.hpp"

namespace samesum {

// Lanes: outputs [first, last) of all; columns: of the run number `outer` of the inner dimension.
// Elements [begin, end) of each reduced set, in the order of the plan.
struct Range {
    std::int64_t outer, first, last, begin, end;
};

// Readies a tile for `columns` outputs. It may get more columns than that while ranges are added: rows that
// lie side by side are taken as one.
void open_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile);

// Adds a range to an open tile; `chosen` says how the method is given the elements of a masked plan.
void accumulate(const Plan& plan, const Method& method, const Range& range, void* tile,
                const Chosen& chosen = {});

// Joins the further columns of an open tile with those of its outputs.
void close_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile);

// Rows that lie side by side, several of them as one: adds `rows` rows of n columns, `row` bytes apart,
// `fold` of them together.
inline void add_folded(const Method& method, const char* p, std::int64_t row, std::int64_t rows,
                       std::size_t n, std::int64_t fold, void* tile) {
    const std::int64_t sets = rows / fold, rest = rows % fold;
    const std::size_t wide = n * static_cast<std::size_t>(fold);
    if (sets > 0) method.columns(tile, p, row * fold, static_cast<std::size_t>(sets), wide);
    if (rest > 0) method.columns(tile, p + sets * fold * row, 0, 1, n * static_cast<std::size_t>(rest));
}

}  // namespace samesum
