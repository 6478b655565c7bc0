#include "run/reduce/pass.hpp"

#include "methods/short_method.hpp"

namespace samesum {

namespace {

// As few tiles of so many columns at most, none of them much narrower than the others.
std::int64_t even(std::int64_t inner, std::int64_t most) {
    const std::int64_t unit = tile_unit_columns;
    const std::int64_t tiles = (inner + most - 1) / most, width = (inner + tiles - 1) / tiles;
    return std::min(most, (width + unit - 1) / unit * unit);
}

// For each of several threads to have three tiles, unless these become too small.
std::int64_t shared_width(const Plan& plan, std::int64_t inner, std::int64_t output_bytes, std::int64_t work,
                          int threads) {
    const std::int64_t share = (inner + tiles_per_thread * threads - 1) / (tiles_per_thread * threads);
    if (plan.shape == Shape::lanes) return std::max(share, least_task_bytes / (output_bytes * work));
    const bool uncached = output_bytes * inner * plan.kept.count() >= uncached_bytes;
    return std::max<std::int64_t>(
        share, uncached ? least_uncached_row_bytes / static_cast<std::int64_t>(size_of(plan.format))
                        : std::int64_t{least_shared_columns});
}

}  // namespace

std::int64_t tile_width(const Plan& plan, const Pass& pass, std::int64_t inner, int threads) {
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
