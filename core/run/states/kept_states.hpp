// States that stay from one array to the next take the elements of some sets.
#pragma once

#include <functional>
#include <mutex>

#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/finish.hpp"
#include "run/states/float_totals.hpp"

namespace samesum {

// A part of the outputs, and of their sets the elements that a task takes; `joining` is to be held while
// their states are changed, if others take elements of the same sets.
using TakeRange = std::function<void(const Plan&, const Outputs& part, const Range&, std::mutex* joining)>;

// All elements of `piece`, in tasks on threads as far as they are worth it.
void for_each_range(const View& piece, const bool* reduced, std::size_t most_columns, const TakeRange& take);

// Makes a tile of the elements of a range, then give(j, place) of each of its outputs, whose place among all
// is that; one task at a time.
template <class Give>
void add_range(const Plan& plan, const Method& method, const Outputs& part, const Range& range,
               std::mutex* joining, void* tile, const Give& give, const Chosen& chosen = {}) {
    open_tile(plan, method, part.count(), tile);
    accumulate(plan, method, range, tile, chosen);
    close_tile(plan, method, part.count(), tile);
    const auto lock = joining != nullptr ? std::unique_lock(*joining) : std::unique_lock<std::mutex>();
    const bool is_even = plan.shape == Shape::columns;
    const std::int64_t first = is_even ? place_of(plan, part, 0) : 0;
    for (std::int64_t j = 0; j < part.count(); ++j)
        give(static_cast<std::size_t>(j),
             static_cast<std::size_t>(is_even ? first + j * plan.inner.out : place_of(plan, part, j)));
}

// Adds the elements of each reduced set of `piece` to its state; `states` are those of the method, one for
// each output in row-major order. `chosen` says how the method is given the elements of a masked piece.
void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states,
                   const Chosen& chosen = {});

// Exact totals of floats that stay from one array to the next take the elements of some sets.

// Takes elements into columns of a KeptTile, whose `overflow` is set, and finishes nothing.
const Method& kept_method(Format format, Map map);

// Adds map(x) for the elements x of each reduced set of `piece` to its total, one for each output in
// row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, FloatTotals& totals);

// Adds map(x) for the elements x of each reduced set of `piece`, which are of any integer format, to its
// total, one for each output in row-major order.
void add_to_totals(const View& piece, const bool* reduced, Map map, WholeWords* totals);

}  // namespace samesum
