// Elements of lines block after block: by vectors along one line, or several lines side by side.
#pragma once

#include "run/scans/scan_call.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

// Elements of a line in one call of the methods along it.
constexpr std::int64_t scan_block = static_cast<std::int64_t>(scan_elements);

// Elements [begin, end) of a line, after `carry`; the totals of their blocks, if they are known.
void scan_line(ScanCall& call, const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
               const Carry* totals);

// The total of these elements, and those of their blocks.
Carry line_total(const ScanCall& call, const char* in, std::int64_t begin, std::int64_t end, Carry* totals);

// The totals of neighbouring lines that lie element by element beside each other.
void add_line_totals(const ScanCall& call, const char* in, std::int64_t lines, std::int64_t begin,
                     std::int64_t end, Carry* totals);

// Elements of a line from number `begin` on; or of several lines that lie element by element beside each
// other.
struct LinePart {
    const char* in;  // the front of the line, of the first of them
    char* out;
    std::int64_t begin;
};

// Elements of each line in one call: their results stay in the cache until they are written.
constexpr std::int64_t elements_side_by_side = scan_together;
static_assert(elements_side_by_side <= scan_block);

// The prefixes of `n` elements of each line of `count` <= scan_lines parts, whose columns of the tile are
// ready.
void scan_side_by_side(ScanCall& call, void* tile, const LinePart* parts, std::size_t count, std::int64_t n,
                       std::int64_t lines = 1);

}  // namespace samesum
