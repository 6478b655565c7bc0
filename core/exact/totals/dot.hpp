// Exact sums of products.
#pragma once

#include "exact/totals/superaccumulator.hpp"

namespace samesum {

// Adds the products of n contiguous elements of a and b, of a float format of 16 bits or more.
void add_products(Superaccumulator& total, const char* a, const char* b, std::size_t n, Format format);

// Adds those that are not finite, the only ones that count where there is one.
void add_special_products(Specials& total, const char* a, const char* b, std::size_t n, Format format);

}  // namespace samesum
