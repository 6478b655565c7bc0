// A few elements whose exact sum a total is.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/totals/superaccumulator.hpp"
#include "formats/format.hpp"

namespace samesum {

// Bits of floats of this format, each the rest rounded; of an infinity or a NaN that alone, of zero none.
// False where it takes more than `most` of them.
bool elements_of(const Superaccumulator& total, Format format, std::size_t most,
                 std::vector<std::uint64_t>& bits);

}  // namespace samesum
