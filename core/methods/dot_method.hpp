// What the methods of dot products are given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/error_free.hpp"
#include "methods/method.hpp"

namespace samesum {

// What `lanes` and `columns` of these methods get for the address of the elements: those of two operands.
// `row_stride` is of the first one; with `repeats` each row of the other is one element.
struct PairRows {
    const char *x, *other;
    std::ptrdiff_t other_stride;
    bool repeats;
};

// What a product of float64 may lose to underflow. (Lemma 2)
constexpr double product_underflow = 0x1p-1073;

// Every float format of 16 bits or more; integers of 1, 2, 4 and 8 bytes, modulo 2^k.
struct DotMethods {
    Method floats[4], integers[4];
    // A total of floats, `count` products each.
    Sum (*total[4])(const void* tile, std::size_t j, std::int64_t count);
};

}  // namespace samesum
