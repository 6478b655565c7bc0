// Short lines (layout/packed_lines.hpp), some of them at a time side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layout/copy.hpp"
#include "layout/packed_lines.hpp"
#include "run/room.hpp"
#include "threads/pool.hpp"

namespace samesum {

// each(contiguous lines along the second of two axes, the number of the first of them)
template <class Each>
void for_each_packed(const PackedLines& lines, int threads, const Each& each) {
    const View& x = lines.view();
    Dims all;
    for (int i = 0; i < x.rank; ++i)
        if (x.shape[i] > 1) all.push({x.shape[i], x.strides[i], 0});
    const Packing packing(all, size_of(x.format), x.swapped);
    const std::int64_t item = static_cast<std::int64_t>(size_of(x.format)), length = lines.length(),
                       together = lines.together();
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * together,
                           n = std::min(together, lines.count() - first);
        const Room elements(static_cast<std::size_t>(n * length * item));
        packing.copy(x.data, first * length, n * length, elements.get());
        const std::int64_t shape[] = {n, length}, strides[] = {length * item, item};
        each(View{elements.get(), 2, shape, strides, x.format, false}, first);
    };
    for_each_task(static_cast<std::size_t>((lines.count() + together - 1) / together),
                  static_cast<std::size_t>(threads), task);
}

}  // namespace samesum
