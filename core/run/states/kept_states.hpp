// States that stay from one array to the next take the elements of some sets.
#pragma once

#include <functional>
#include <mutex>

#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/finish.hpp"

namespace samesum {

// A part of the outputs, and of their sets the elements that a task takes; `joining` is to be held while
// their states are changed, if others take elements of the same sets.
using TakeRange = std::function<void(const Plan&, const Outputs& part, const Range&, std::mutex* joining)>;

// All elements of `piece`, in tasks on threads as far as they are worth it.
void for_each_range(const View& piece, const bool* reduced, std::size_t most_columns, const TakeRange& take);

// Adds the elements of each reduced set of `piece` to its state; `states` are those of the method, one for
// each output in row-major order.
void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states);

}  // namespace samesum
