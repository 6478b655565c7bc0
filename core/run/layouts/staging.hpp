// How the lines of a scan or a normalization come to its loops: a plan that is made once, before an element
// is read, from the layout alone.
#pragma once

#include <string>

#include "layout/groups.hpp"
#include "layout/packed_lines.hpp"
#include "layout/scan_plan.hpp"
#include "methods/method.hpp"

namespace samesum {

enum class Load : std::uint8_t {
    direct,  // as they lie
    groups,  // in blocks of groups that are transposed to wide rows
    packed   // in blocks of lines that are copied side by side
};

struct Staging {
    Load load;
    Groups groups;
    PackedLines lines;
};

Staging stage_scan(Combine combine, const View& x, int axis, Format format, const void* out);
Staging stage_normalization(const View& x, int axis, const void* out);

// In words, for tests and those who look for a way.
std::string text(const Staging& staging);

}  // namespace samesum
