// States of a tile become results in their places.
#pragma once

#include <vector>

#include "layout/groups.hpp"
#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "methods/short_method.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/reduce.hpp"
#include "select/routes.hpp"

namespace samesum {

// The methods to try, one after the other; the last one is always right.
struct Tiers {
    Method method[5];
    std::size_t number[5];  // of the counter
    Route route[5];
    std::size_t count = 0;
    // If not zero, the one that fails for most of what those before it certify.
    std::size_t partial = 0;
    Short at_once = nullptr;  // to try before them
    Route at_once_route = Route::count;
    // What its elements take, as multiples of the time that most others do.
    std::int64_t work = 1;

    bool is_partial(std::size_t tier) const { return partial > 0 && tier == partial; }

    void push(const Method& m, std::size_t tier, Route way) {
        method[count] = m;
        route[count] = way;
        number[count++] = tier;
    }
};

Tiers choose_tiers(const Reduction& row, Format in, Format out, std::int64_t count);

// One of the results: by which methods, and where it goes.
struct Target {
    Tiers tiers;
    Finish how;
    char* out;  // C-contiguous
    // Of a masked array: how the method is given the elements, how many each output has (null: that does not
    // matter), and the result where there are none.
    Chosen chosen = {};
    const std::int64_t* counts = nullptr;
    bool divides = false;  // the result depends on the count
    std::uint64_t none = 0;
};

Target target_of(const Plan& plan, const Result& result);

// Outputs [first, last) of one run of the inner kept dimension (columns) or of all outputs (lanes).
struct Outputs {
    std::int64_t outer, first, last;

    std::int64_t count() const { return last - first; }
};

// All outputs of a plan, up to `most` at a time.
std::vector<Outputs> parts_of(const Plan& plan, std::size_t most);

// The place of output j of a part among all.
std::int64_t place_of(const Plan& plan, const Outputs& part, std::int64_t j);

// failed[j] tells of which outputs no result could be certified. Returns how many those are.
std::size_t finish_outputs(const Plan& plan, const Target& target, std::size_t tier, void* tile,
                           const Outputs& o, std::uint8_t* failed);

// One or several results of the same sets in one pass over the array: `most_results` at most. A position
// needs a plan that is ordered.
void run_job(const Plan& plan, const Target* targets, std::size_t count);

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
