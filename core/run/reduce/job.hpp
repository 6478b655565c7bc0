// One or several results of the same sets of an array, in one pass over it.
#pragma once

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"

namespace samesum {

// At most `most_results` targets. A position needs a plan that is ordered.
void run_job(const Plan& plan, const Target* targets, std::size_t count);

}  // namespace samesum
