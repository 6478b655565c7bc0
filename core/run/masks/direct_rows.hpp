// Rows of a masked array that are read where they lie.
#pragma once

#include "layout/plan.hpp"
#include "run/masks/centred.hpp"
#include "run/masks/mask_places.hpp"
#include "run/reduce/accumulate.hpp"

namespace samesum {

static_assert(MaskedElements::most_elements >= static_cast<std::int64_t>(most_columns));
static_assert(MaskedElements::most_bytes >= static_cast<std::int64_t>(tile_columns * sizeof(double)));

// Adds to the method of the counts how many elements each of n columns has in `rows` rows of a mask.
void add_counts(const Method& method, const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                std::size_t n, void* tile);

// Whether rows of so many columns are read where they lie.
bool are_direct(const Plan& plan, const Method& method, const Chosen& chosen, std::int64_t n);

class DirectRows {
  public:
    DirectRows(const Plan& plan, const Method& method, const Range& range, const Chosen& chosen, void* tile);

    // All rows of the range, `fold` of them as one.
    void add(std::int64_t fold);

  private:
    static constexpr std::int64_t most_rows = 512;

    void add_some(std::size_t rows, std::int64_t fold);
    void take(std::size_t row);
    void ask_for_next() const;
    Ahead ahead() const;

    const Plan& plan_;
    const Method& method_;
    const Range& range_;
    const Chosen& chosen_;
    void* const tile_;
    const std::size_t n_, size_;
    const bool masks_needed_;  // side by side
    Places place_, next_;
    Rooms rooms_;
    const char* x_[most_rows];  // where the rows of the block are
};

}  // namespace samesum
