// Which way the elements of sets come to their methods: told once, from the layout alone.
#pragma once

#include "layout/groups.hpp"
#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

LayoutHints hints_of(const Reduction& row, Format format);

// The loops of some results of the same sets.
struct Loops {
    Plan plan;
    LayoutHints hints;
    std::int64_t most_elements;  // of a group of few columns
};
Loops loops_of(const View& x, const bool* reduced, const Reduction& row);
// Of all of them in the order of the elements if that asks for nothing that is not done anyway.
Loops loops_of(const View& x, const bool* reduced, const Result* results, std::size_t n);

// Whether it takes less to make the results in the order of memory first.
bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n);

// The groups that a plan goes through; none if it has others.
Groups groups_of(const Plan& plan);

// Whether copying the sets takes less than to read them where they are; `are_groups`: contiguous, one after
// the other, each of so many rows.
bool suits_packing(const Plan& plan, bool are_groups);

// Whether the sets are so short that all targets have their results without a tile.
bool are_short(const Plan& plan, const Target* targets, std::size_t count);

// Positions of single elements, and in arrays whose elements do not lie in memory in the order in which they
// are counted.

// Writes the positions if each set has but one element; false if they are not.
bool place_lone_elements(const View& x, const bool* reduced, const Result& result);

// Writes int64 positions in an array as it lies.
using FindPositions = void (*)(const View& x, const bool* reduced, const Reduction& row, std::int64_t* out);

// Writes the positions in any array, by way of arrays that are searched faster as they lie, if there are
// such.
void find_positions(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                    std::int64_t* out);

}  // namespace samesum
