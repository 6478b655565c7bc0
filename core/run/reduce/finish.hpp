// States of a tile become results in their places.
#pragma once

#include <vector>

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

}  // namespace samesum
