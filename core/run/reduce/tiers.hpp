// Which methods serve a reduction.
#pragma once

#include "methods/method.hpp"
#include "methods/short_method.hpp"
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

}  // namespace samesum
