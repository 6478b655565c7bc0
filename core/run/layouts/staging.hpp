// How the lines of a scan or a normalization come to its loops: a plan that is made once, before an element
// is read, from the layout alone.
#pragma once

#include <string>

#include "layout/groups.hpp"
#include "layout/packed_lines.hpp"
#include "layout/scan_plan.hpp"
#include "methods/method.hpp"
#include "run/layouts/groups.hpp"
#include "run/layouts/packed_lines.hpp"
#include "run/room.hpp"

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

// loops(block, axis, results) of each block of what is copied first. Results of `format`, so many more than
// elements along the axis, go to `out`, which is C-contiguous.
template <class Loops>
void for_each_staged(const Staging& staging, Format format, std::int64_t more, int threads, void* out,
                     const Loops& loops) {
    if (staging.load == Load::packed) {
        const std::int64_t size = static_cast<std::int64_t>(size_of(format));
        return for_each_packed(staging.lines, threads, [&](const View& block, std::int64_t first) {
            loops(block, 1, static_cast<char*>(out) + first * (block.shape[1] + more) * size);
        });
    }
    const Groups& groups = staging.groups;
    const std::int64_t rows = groups.rows + more;
    for_each_block(groups, threads, [&](const View& block, std::int64_t first, std::int64_t number) {
        const Room results(groups.room_for(number, rows, format));
        loops(block, 0, results.get());
        put_groups(results.get(), format, rows * groups.columns, first, number, out);
    });
}

// In words, for tests and those who look for a way.
std::string text(const Staging& staging);

}  // namespace samesum
