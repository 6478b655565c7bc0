// Dot products of pairs of vectors along an axis, end to end.
#pragma once

#include "run/dots/dot_layout.hpp"

namespace samesum {

// Bytes that are read, of both operands.
inline std::int64_t dot_bytes(const DotCall& call) {
    std::int64_t count = 1;
    for (int i = 0; i < call.rank; ++i) count *= call.kept[i].size;
    return 2 * count * call.length * static_cast<std::int64_t>(size_of(call.format));
}

// Each the exact sum of the exact products, rounded once to `result`; of integers modulo 2^k in the format of
// the elements. There is at least one vector, and one element in each.
void dot_products(const DotCall& call);

}  // namespace samesum
