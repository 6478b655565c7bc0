// What goes over a plan at once, and how wide its tiles are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"
#include "methods/short_method.hpp"
#include "run/reduce/finish.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

// The targets of a pass, all by the same tier, or at once before all tiers.
struct Pass {
    const Target* targets;
    std::size_t count, tier;
    bool at_once = false;
    const std::uint8_t* retry_only = nullptr;  // the outputs that are asked for, if others may well fail

    const Method& method(std::size_t i) const { return targets[i].tiers.method[tier]; }
    // Of what takes longest.
    std::int64_t work() const {
        std::int64_t most = 1;
        for (std::size_t i = 0; i < count; ++i) most = std::max(most, targets[i].tiers.work);
        return most;
    }
    std::int64_t max_columns() const {
        std::size_t n = most_columns;
        for (std::size_t i = 0; i < count; ++i) n = std::min(n, method(i).max_columns);
        return static_cast<std::int64_t>(n);
    }
};

// As few tiles of so many columns at most, none of them much narrower than the others.
inline std::int64_t even(std::int64_t inner, std::int64_t most) {
    const std::int64_t unit = tile_unit_columns;
    const std::int64_t tiles = (inner + most - 1) / most, width = (inner + tiles - 1) / tiles;
    return std::min(most, (width + unit - 1) / unit * unit);
}

// For each of several threads to have three tiles, unless these become too small.
inline std::int64_t shared_width(const Plan& plan, std::int64_t inner, std::int64_t output_bytes,
                                 std::int64_t work, int threads) {
    const std::int64_t share = (inner + tiles_per_thread * threads - 1) / (tiles_per_thread * threads);
    if (plan.shape == Shape::lanes) return std::max(share, least_task_bytes / (output_bytes * work));
    const bool uncached = output_bytes * inner * plan.kept.count() >= uncached_bytes;
    return std::max<std::int64_t>(
        share, uncached ? least_uncached_row_bytes / static_cast<std::int64_t>(size_of(plan.format))
                        : std::int64_t{least_shared_columns});
}

// Outputs of a tile, of the `inner` ones that are side by side.
inline std::int64_t tile_width(const Plan& plan, const Pass& pass, std::int64_t inner, int threads) {
    const bool lanes = plan.shape == Shape::lanes;
    const std::int64_t output_bytes = plan.reduced_count * static_cast<std::int64_t>(size_of(plan.format));
    std::int64_t width = pass.max_columns();
    if (lanes)
        width = std::min(width, std::max<std::int64_t>(1, task_bytes / output_bytes));
    else if (plan.contiguous || pass.at_once)
        width = std::max(width, columns_task_bytes / output_bytes / width * width);
    // Rows gathered into columns are read several times: they have to stay in the cache.
    else
        width = std::min<std::int64_t>(width, untangled_rows);
    if (threads > 1) width = std::min(width, shared_width(plan, inner, output_bytes, pass.work(), threads));
    return lanes ? std::clamp<std::int64_t>(width, 1, inner) : even(inner, std::max<std::int64_t>(1, width));
}

}  // namespace samesum
