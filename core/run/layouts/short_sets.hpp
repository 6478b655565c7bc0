// Sets of few elements, from the input to the results without a tile.
#pragma once

#include "run/reduce/finish.hpp"

namespace samesum {

// At most `tile_columns` outputs; as finish_outputs does.
std::size_t finish_short(const Plan& plan, const Target& target, const Outputs& o, std::uint8_t* failed);

}  // namespace samesum
