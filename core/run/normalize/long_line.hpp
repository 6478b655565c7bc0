// Lines of several blocks each.
#pragma once

#include <cstdint>

#include "methods/tables.hpp"

namespace samesum {

struct LineMethod {
    const NormalizationMethods& methods;
    std::size_t format, kind;
};

// Of each n elements `in` bytes apart, and their results, `to` bytes apart. Of `side` lines that are
// neighbours, element by element, as are their results, in native byte order and aligned to the elements, the
// first `count` are wanted; anything may be written to the places of the others.
struct LongLines {
    static constexpr std::size_t most = 8;

    const char* x;
    std::int64_t in;
    char* out;
    std::int64_t to;
    std::size_t n, count, side;
    bool swapped;
    bool streamed;  // results beyond the caches
};

void normalize_long_lines(const LineMethod& method, const LongLines& lines, std::size_t threads);

}  // namespace samesum
