// Reductions of sets whose elements were copied side by side first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

class GatheredSets {
  public:
    // Each set has `count` elements, one at least; a mean divides their sum by `divisor`, which is not less.
    // At least so many sets are taken at a time.
    GatheredSets(const Reduction& row, Format in, Format out, std::int64_t count, std::int64_t divisor,
                 std::int64_t least_together = 1);

    // Sets at a time: their elements stay in the first cache, if that has room for so many.
    std::int64_t together() const { return together_; }
    std::size_t bytes() const { return static_cast<std::size_t>(together_ * rows_) * size_; }

    // Row k holds element k of each set; otherwise the elements of a set lie side by side.
    bool are_rows() const { return rows_ <= most_gathered_rows; }

    // Writes the results of n <= together() sets. `elements` has room for bytes(), which the reduction may
    // fill up with zeros.
    void reduce(char* elements, std::int64_t n, void* out) const;

  private:
    Reduction row_;
    Format in_;
    std::int64_t count_, rows_, together_;
    std::size_t size_;
    Tiers tiers_;
    Finish how_;
};

}  // namespace samesum
