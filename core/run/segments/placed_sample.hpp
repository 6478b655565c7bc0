// What a few of many elements tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "run/segments/placed_blocks.hpp"
#include "select/segment_thresholds.hpp"

namespace samesum {

// look(magnitude) for some of n floats.
template <class Look>
void look_at_some(const char* x, std::int64_t n, Format format, const Look& look) {
    const std::int64_t some = std::min<std::int64_t>(n, elements_looked_at);
    for (std::int64_t i = 0; i < some; ++i) look(magnitude(real_at(x, n / some * i, format)));
}

// The greatest magnitude of those; infinity if one of them is not finite.
inline double greatest_of_some(const char* x, std::int64_t n, Format format) {
    double greatest = 0;
    look_at_some(x, n, format, [&](double size) {
        // The infinities of float16 are NaN here.
        greatest = std::isfinite(size) ? std::max(greatest, size) : HUGE_VAL;
    });
    return greatest;
}

// Whether most of n elements are nearly multiples of a unit 2^50 times smaller than the greatest: of smaller
// ones, sums of such multiples know few bits.
inline bool is_level(const char* x, std::int64_t n, Format format, double greatest) {
    std::int64_t small = 0;
    look_at_some(x, n, format, [&](double size) { small += size > 0 && size < greatest * 0x1p-24; });
    return small <= most_small_elements;
}

}  // namespace samesum
