// Sets of few elements, from the input to the results without a tile.
#pragma once

#include "run/reduce/finish.hpp"

namespace samesum {

// Whether the plan and all the targets can take this way.
bool are_short(const Plan& plan, const Target* targets, std::size_t count);

// At most `tile_columns` outputs; as finish_outputs does.
std::size_t finish_short(const Plan& plan, const Target& target, const Outputs& o, std::uint8_t* failed);

}  // namespace samesum
