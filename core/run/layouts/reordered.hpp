// Results in the order in which their sets lie in memory, and then in the one that is asked for: tiles of
// (4096, 64, 8) seen as (64, 8, 4096) would else be as narrow as its last dimension.
#pragma once

#include <cstdint>

#include "layout/plan.hpp"

namespace samesum {

// An array whose kept dimensions come from the farthest to the nearest one, in parts of so many results that
// room for them is not much.
class Reordered {
  public:
    Reordered(const View& x, const bool* reduced);

    std::int64_t parts(std::size_t bytes_of_result) const;
    // Part number i of n; valid until the next one.
    View part(std::int64_t i, std::int64_t n);
    const bool* reduced() const { return reduced_; }
    // Of the greatest of n parts.
    std::int64_t most_results(std::int64_t n) const;
    // The results of the part, which follow one another, to their places in all of them.
    void put(const char* results, Format format, void* out) const;

  private:
    View x_;
    std::int64_t shape_[max_rank], strides_[max_rank], mask_strides_[max_rank];
    Dims places_;             // of results: `out`
    std::int64_t first_ = 0;  // where the first one goes
    bool reduced_[max_rank];
    int longest_ = 0;         // of the dimensions of the results: what is cut into parts
    std::int64_t begin_ = 0;  // of the part, there
};

}  // namespace samesum
