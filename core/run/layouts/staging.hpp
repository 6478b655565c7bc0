// How the lines of a scan or a normalization come to its loops: a plan that is made once, before an element
// is read, from the layout alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layout/copy.hpp"
#include "layout/groups.hpp"
#include "layout/plan.hpp"
#include "methods/method.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "threads/pool.hpp"

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

// Small groups of few columns (layout/groups.hpp), some of them at a time as wide rows.

// The first column of these groups, then the second one and so on, row by row.
void transpose_groups(const Groups& groups, std::int64_t first, std::int64_t number, char* to);

// Results of a block, so many of each group, come to lie as those of one group after the other.
void put_groups(const char* results, Format format, std::int64_t of_each, std::int64_t first,
                std::int64_t number, void* out);

// each(rows of a block, its first group, how many they are) of some groups. What a block needs is not on the
// stack: threads may have little of it.
template <class Each>
void take_block(const Groups& groups, std::int64_t first, std::int64_t number, const Each& each) {
    const Scratch elements(groups.room_for(number, groups.rows, groups.format));
    transpose_groups(groups, first, number, elements.get());
    const std::int64_t size = static_cast<std::int64_t>(size_of(groups.format)),
                       shape[] = {groups.rows, groups.columns * number}, strides[] = {shape[1] * size, size};
    each(View{elements.get(), 2, shape, strides, groups.format, false}, first, number);
}

// The same of all groups, some at a time.
template <class Each>
void for_each_block(const Groups& groups, int threads, const Each& each) {
    for_each_batch(groups.count, groups.together(), threads,
                   [&](std::int64_t first, std::int64_t n) { take_block(groups, first, n, each); });
}

// Short lines (layout/groups.hpp), some of them at a time side by side.

// each(contiguous lines along the second of two axes, the number of the first of them)
template <class Each>
void for_each_packed(const PackedLines& lines, int threads, const Each& each) {
    const View& x = lines.view();
    Dims all;
    for (int i = 0; i < x.rank; ++i)
        if (x.shape[i] > 1) all.push({x.shape[i], x.strides[i], 0});
    const Packing packing(all, size_of(x.format), x.swapped);
    const std::int64_t item = static_cast<std::int64_t>(size_of(x.format)), length = lines.length();
    for_each_batch(lines.count(), lines.together(), threads, [&](std::int64_t first, std::int64_t n) {
        const Scratch elements(static_cast<std::size_t>(n * length * item));
        packing.copy(x.data, first * length, n * length, elements.get());
        const std::int64_t shape[] = {n, length}, strides[] = {length * item, item};
        each(View{elements.get(), 2, shape, strides, x.format, false}, first);
    });
}

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
        const Scratch results(groups.room_for(number, rows, format));
        loops(block, 0, results.get());
        put_groups(results.get(), format, rows * groups.columns, first, number, out);
    });
}

}  // namespace samesum
