// The leading bits of an exact value and their one rounding to a format.
#pragma once

#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

using u128 = unsigned __int128;

// significand * 2^exponent, with something below it if `sticky`; 64 leading bits unless the value is zero.
struct Leading {
    std::uint64_t significand = 0;
    int exponent = 0;
    bool sticky = false;
};

// Of value * 2^exponent, which is more than nothing if `sticky`.
Leading leading_of(u128 value, int exponent, bool sticky);

// The greatest integer whose square is x or less.
std::uint64_t floor_root(u128 x);

// To nearest even; a negative value that underflows is -0 where there is one.
std::uint64_t round_to_format(const Leading& v, bool negative, Format format);

}  // namespace samesum
