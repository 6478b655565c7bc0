// Columns of a plan, row by row or gathered, into a tile.
#pragma once

#include "run/reduce/accumulate.hpp"

namespace samesum {

// `fold` rows are taken as one.
void accumulate_columns(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                        void* tile);

// How far ahead the elements of a run with this stride are asked for, in bytes.
std::int64_t distance_of(std::int64_t stride);

}  // namespace samesum
