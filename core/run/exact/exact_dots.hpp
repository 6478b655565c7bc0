// Dot products of single pairs of vectors, exactly.
#pragma once

#include "arithmetic/error_free.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "run/dots/dot_layout.hpp"

namespace samesum {

// Elements [begin, end) of the vectors at a and b. If `rough` is known not to be finite, infinities and NaNs
// are looked for first.
Superaccumulator exact_dot(const DotLayout& all, const char* a, const char* b, std::int64_t begin,
                           std::int64_t end, bool is_rough_finite);

// hi + lo, at most `bound` from the exact total, rounded to a byte float; false where that is not certain.
bool round_to_byte(const Sum& total, Format format, std::uint64_t& bits);

}  // namespace samesum
