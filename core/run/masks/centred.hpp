// Elements that are added up about a centre: it stands in place of those that a mask does not choose, and
// adds nothing. (Lemma 83)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/masks/masked.hpp"

namespace samesum {

// Adds a block of one set to column j; `room` has space for it, and may be where its elements are.
void add_centred(const MaskedElements& elements, const Method& method, const MaskedElements::Block& block,
                 Format format, std::size_t j, char* room, void* tile);

// The columns of a tile, to which rows are added.
class CentredColumns {
  public:
    CentredColumns(const Method& method, Format format, std::size_t n, void* tile);

    // Adds rows, whose masks lie side by side; `room` has space for them.
    void add(std::span<const char* const> rows, const std::uint8_t* mask, char* room);

  private:
    void find_centres(std::span<const char* const> rows, const std::uint8_t* mask);

    const Method& method_;
    const Format format_;
    const std::size_t n_, size_;
    void* const tile_;
    const Centres centres_;
    std::vector<char> others_;  // a row of centres
    std::vector<std::int64_t> counts_;
    bool any_missing_ = true;
};

}  // namespace samesum
