// Small groups of few columns each, some of them at a time as wide rows.
#pragma once

#include "layout/plan.hpp"
#include "run/finish.hpp"

namespace samesum {

// Whether the plan has groups that follow one another in memory, like those of (100000, 5, 3) along axis 1:
// each by itself would cost more than its elements.
bool has_small_groups(const Plan& plan, const Target* targets, std::size_t count);

// As run_job does.
void run_groups(const Plan& plan, const Target* targets, std::size_t count);

}  // namespace samesum
