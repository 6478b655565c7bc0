// Exact totals of floats that stay from one array to the next take the elements of some sets.
#pragma once

#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "layout/plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// Takes elements into columns of a KeptTile, whose `overflow` is set, and finishes nothing.
const Method& kept_method(Format format, Map map);

// Adds map(x) for the elements x of each reduced set of `piece` to its total, one for each output in
// row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, Superaccumulator* totals);

// Adds map(x) for the elements x of each reduced set of `piece`, which are of any integer format, to its
// total, one for each output in row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, WholeWords* totals);

}  // namespace samesum
