// What goes over a plan at once, and how wide its tiles are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

// The targets of a pass, all by the same tier, or at once before all tiers.
struct Pass {
    const Target* targets;
    std::size_t count, tier;
    bool at_once = false;
    const std::uint8_t* among = nullptr;  // the outputs that are asked for, if others may well fail

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

// Outputs of a tile, of the `inner` ones that are side by side.
std::int64_t tile_width(const Plan& plan, const Pass& pass, std::int64_t inner, int threads);

}  // namespace samesum
