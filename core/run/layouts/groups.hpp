// Small groups of few columns (layout/groups.hpp), some of them at a time as wide rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layout/groups.hpp"
#include "run/room.hpp"
#include "select/reduction_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

// The first column of these groups, then the second one and so on, row by row.
void transpose_groups(const Groups& groups, std::int64_t first, std::int64_t number, char* to);

// Results of a block, so many of each group, come to lie as those of one group after the other.
void put_groups(const char* results, Format format, std::int64_t of_each, std::int64_t first,
                std::int64_t number, void* out);

// each(rows of a block, its first group, how many they are) of some groups. What a block needs is not on the
// stack: threads may have little of it.
template <class Each>
void take_block(const Groups& groups, std::int64_t first, std::int64_t number, const Each& each) {
    const Room elements(groups.room_for(number, groups.rows, groups.format));
    transpose_groups(groups, first, number, elements.get());
    const std::int64_t size = static_cast<std::int64_t>(size_of(groups.format)),
                       shape[] = {groups.rows, groups.columns * number}, strides[] = {shape[1] * size, size};
    each(View{elements.get(), 2, shape, strides, groups.format, false}, first, number);
}

// The same of all groups, some at a time.
template <class Each>
void for_each_block(const Groups& groups, int threads, const Each& each) {
    const std::int64_t together = groups.together();
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * together;
        take_block(groups, first, std::min(together, groups.count - first), each);
    };
    for_each_task(static_cast<std::size_t>((groups.count + together - 1) / together),
                  static_cast<std::size_t>(threads), task);
}

}  // namespace samesum
