// States that stay from one array to the next take the elements of some sets.
#pragma once

#include "layout/plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// Adds the elements of each reduced set of `piece` to its state; `states` are those of the method, one for
// each output in row-major order.
void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states);

}  // namespace samesum
