// One tile of outputs over a range of their reduced elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "run/masks/masked.hpp"

namespace samesum {

// Results of one pass over the input, at most.
constexpr std::size_t most_results = 8;

// Memory for a tile of each of some results, from a stack that each thread keeps.
class TileScope {
  public:
    explicit TileScope(std::size_t count = 1);
    ~TileScope();
    TileScope(const TileScope&) = delete;
    TileScope& operator=(const TileScope&) = delete;
    void* tile(std::size_t i = 0) const;

  private:
    struct Block;
    struct Idle;
    static Idle& idle();

    const std::size_t count_;
    std::array<std::unique_ptr<Block>, most_results> tiles_;
};

// Lanes: outputs [first, last) of all; columns: of the run number `outer` of the inner dimension.
// Elements [begin, end) of each reduced set, in the order of the plan.
struct Range {
    std::int64_t outer, first, last, begin, end;
};

// Readies a tile for `columns` outputs. It may get more columns than that while ranges are added: rows that
// lie side by side are taken as one.
void open_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile);

// Adds a range to an open tile; `chosen` says how the method is given the elements of a masked plan.
void accumulate(const Plan& plan, const Method& method, const Range& range, void* tile,
                const Chosen& chosen = {});

// Joins the further columns of an open tile with those of its outputs.
void close_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile);

// The whole sets of some columns of run number `outer` of the inner dimension, side by side in a fresh tile.
void accumulate_chosen(const Plan& plan, const Method& method, std::int64_t outer,
                       const std::int64_t* columns, std::size_t count, void* tile, const Chosen& chosen = {});

}  // namespace samesum
