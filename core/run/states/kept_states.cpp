#include "run/states/kept_states.hpp"

#include <algorithm>

#include "methods/kept_blocks.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Elements of each set that a task takes, so that there are some tasks for each thread.
std::int64_t slice_of(const Plan& plan, std::size_t parts, std::size_t threads) {
    // Methods of integers count on it.
    constexpr std::int64_t most = std::int64_t{1} << 30, rows = static_cast<std::int64_t>(kept_additions);
    static_assert(least_state_slice % rows == 0);
    const std::int64_t all = static_cast<std::int64_t>(parts),
                       tasks = state_slices * static_cast<std::int64_t>(threads),
                       columns = (plan.kept_count + all - 1) / all, wanted = (tasks + all - 1) / all;
    if (threads == 1 || wanted <= 1) return std::min(plan.reduced_count, most);
    const std::int64_t least = std::max(rows, least_state_slice / columns / rows * rows),
                       slice = (plan.reduced_count + wanted - 1) / wanted;
    return std::min((slice + least - 1) / least * least, most);
}

}  // namespace

void for_each_range(const View& piece, const bool* reduced, std::size_t most_columns, const TakeRange& take) {
    const FloatingPointScope scope;
    if (std::find(piece.shape, piece.shape + piece.rank, 0) != piece.shape + piece.rank) return;
    const Plan plan = plan_reduction(piece, reduced, {});
    const std::vector<Outputs> parts = parts_of(plan, most_columns);
    const std::int64_t bytes =
        plan.kept_count * plan.reduced_count * static_cast<std::int64_t>(size_of(piece.format));
    const std::size_t threads = bytes < threaded_bytes ? 1 : static_cast<std::size_t>(thread_count());
    const std::int64_t slice = slice_of(plan, parts.size(), threads);
    const std::size_t slices = static_cast<std::size_t>((plan.reduced_count + slice - 1) / slice);
    std::mutex joining;
    auto task = [&](std::size_t t, std::size_t) {
        const Outputs& part = parts[t / slices];
        const std::int64_t begin = static_cast<std::int64_t>(t % slices) * slice;
        take(plan, part,
             {part.outer, part.first, part.last, begin, std::min(begin + slice, plan.reduced_count)},
             slices > 1 ? &joining : nullptr);
    };
    for_each_task(parts.size() * slices, threads, task);
}

void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states,
                   const Chosen& chosen) {
    for_each_range(
        piece, reduced, method.max_columns,
        [&](const Plan& plan, const Outputs& part, const Range& range, std::mutex* joining) {
            const TileScope tile;
            add_range(
                plan, method, part, range, joining, tile.tile(),
                [&](std::size_t j, std::size_t place) { method.merge(states, place, tile.tile(), j, 1); },
                chosen);
        });
}

}  // namespace samesum
