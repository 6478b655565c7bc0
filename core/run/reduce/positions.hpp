// Positions of single elements, and in arrays whose elements do not lie in memory in the order in which they
// are counted.
#pragma once

#include "layout/plan.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

// Writes the positions if each set has but one element; false if they are not.
bool place_lone_elements(const View& x, const bool* reduced, const Result& result);

// Writes int64 positions in an array as it lies.
using FindPositions = void (*)(const View& x, const bool* reduced, const Reduction& row, std::int64_t* out);

// Writes the positions in any array, by way of arrays that are searched faster as they lie, if there are
// such.
void find_positions(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                    std::int64_t* out);

}  // namespace samesum
