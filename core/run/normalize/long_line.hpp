// A line of several blocks.
#pragma once

#include <cstdint>

#include "methods/tables.hpp"

namespace samesum {

struct LineMethod {
    const NormalizationMethods& methods;
    std::size_t format, kind;
};

// n elements `in` bytes apart, and their results, `to` bytes apart.
struct LongLine {
    const char* x;
    std::int64_t in;
    char* out;
    std::int64_t to;
    std::size_t n;
    bool swapped;
    bool streamed;  // results beyond the caches
};

void normalize_long_line(const LineMethod& method, const LongLine& line);

}  // namespace samesum
