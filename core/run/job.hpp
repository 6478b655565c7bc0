// One or several results of the same sets of an array, in one pass over it.
#pragma once

#include "layout/plan.hpp"
#include "run/finish.hpp"

namespace samesum {

// Below this many bytes of input, times the work on them, one thread is faster than waking another.
constexpr std::int64_t threaded_bytes = 384 << 10;
// Below this, if another has to be woken first.
constexpr std::int64_t brief_bytes = 3 << 19;

// At most `most_results` targets. A position needs a plan that is ordered.
void run_job(const Plan& plan, const Target* targets, std::size_t count);

}  // namespace samesum
