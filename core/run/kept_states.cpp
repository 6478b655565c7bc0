#include "run/kept_states.hpp"

#include <algorithm>
#include <mutex>

#include "methods/exact_blocks.hpp"
#include "run/accumulate.hpp"
#include "run/finish.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Elements of each set that a task takes, so that there are some tasks for each thread.
std::int64_t slice_of(const Plan& plan, std::size_t parts, std::size_t threads) {
    static_assert(least_state_slice % static_cast<std::int64_t>(exact_elements) == 0);
    const std::int64_t wanted =
        static_cast<std::int64_t>((static_cast<std::size_t>(state_slices) * threads + parts - 1) / parts);
    if (threads == 1 || wanted <= 1) return plan.reduced_count;
    const std::int64_t slice = (plan.reduced_count + wanted - 1) / wanted;
    return std::max((slice + least_state_slice - 1) / least_state_slice, std::int64_t{1}) * least_state_slice;
}

}  // namespace

void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states) {
    const FloatingPointScope scope;
    if (std::find(piece.shape, piece.shape + piece.rank, 0) != piece.shape + piece.rank) return;
    const Plan plan = plan_reduction(piece, reduced, {});
    const std::vector<Outputs> parts = parts_of(plan, method.max_columns);
    const std::int64_t bytes =
        plan.kept_count * plan.reduced_count * static_cast<std::int64_t>(size_of(piece.format));
    const std::size_t threads = bytes < threaded_bytes ? 1 : static_cast<std::size_t>(thread_count());
    const std::int64_t slice = slice_of(plan, parts.size(), threads);
    const std::size_t slices = static_cast<std::size_t>((plan.reduced_count + slice - 1) / slice);
    std::mutex joining;
    auto task = [&](std::size_t t, std::size_t) {
        const Outputs& part = parts[t / slices];
        const std::int64_t begin = static_cast<std::int64_t>(t % slices) * slice;
        const TileScope tile;
        open_tile(plan, method, part.count(), tile.tile());
        accumulate(plan, method,
                   {part.outer, part.first, part.last, begin, std::min(begin + slice, plan.reduced_count)},
                   tile.tile());
        close_tile(plan, method, part.count(), tile.tile());
        const std::lock_guard lock(joining);
        for (std::int64_t j = 0; j < part.count(); ++j)
            method.merge(states, static_cast<std::size_t>(place_of(plan, part, j)), tile.tile(),
                         static_cast<std::size_t>(j), 1);
    };
    for_each_task(parts.size() * slices, threads, task);
}

}  // namespace samesum
