// The loops of a plan, on the pool.
#pragma once

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"

namespace samesum {

// One or several results of the same sets in one pass over the array: `most_results` at most. A position
// needs a plan that is ordered.
void run_job(const Plan& plan, const Target* targets, std::size_t count);

}  // namespace samesum
