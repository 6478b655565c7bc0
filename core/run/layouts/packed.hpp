// Small sets that lie where no method reads them quickly, as in (512, 32, 32)[:, 3:13, 3:13] along its last
// axis, side by side for a while: some of them at a time.
#pragma once

#include <cstddef>

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"

namespace samesum {

// As run_job does; the plan was made with these hints.
void reduce_packed(const Plan& plan, const LayoutHints& hints, const Target* targets, std::size_t count);

}  // namespace samesum
