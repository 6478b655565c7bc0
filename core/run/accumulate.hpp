// One tile of outputs over a range of their reduced elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/method.hpp"
#include "layout/plan.hpp"

namespace samesum {

// Memory for one tile, from a stack that each thread keeps.
class TileScope {
  public:
    TileScope();
    ~TileScope();
    TileScope(const TileScope&) = delete;
    TileScope& operator=(const TileScope&) = delete;
    void* tile() const { return tile_; }

  private:
    void* tile_;
};

// Lanes: outputs [first, last) of all; columns: of the run number `outer` of the inner dimension.
// Elements [begin, end) of each reduced set, in the order of the plan.
struct Range {
    std::int64_t outer, first, last, begin, end;
};

// Adds the range to the tile, which is initialised first unless it is `used` already.
void accumulate(const Plan& plan, const Method& method, const Range& range, void* tile, bool used = false);

// The whole sets of some columns of run number `outer` of the inner dimension, side by side in a fresh tile.
void accumulate_chosen(const Plan& plan, const Method& method, std::int64_t outer,
                       const std::int64_t* columns, std::size_t count, void* tile);

}  // namespace samesum
