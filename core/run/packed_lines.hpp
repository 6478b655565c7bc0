// Short lines of elements that lie apart, or with gaps of several sizes between the lines, as (512, 32,
// 32)[:, 3:13, 3:13] has along its last axis, side by side for a while: some of them at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layout/copy.hpp"
#include "run/room.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

class PackedLines {
  public:
    PackedLines(const View& x, int axis)
        : x_(x), item_(static_cast<std::int64_t>(size_of(x.format))), length_(x.shape[axis]) {
        std::int64_t next = item_, nearest = 0;
        for (int i = x.rank; i-- > 0;) {
            if (i != axis) lines_ *= x.shape[i];
            if (x.shape[i] == 1) continue;
            in_order_ = in_order_ && x.strides[i] > nearest && i <= axis;
            is_apart_ = is_apart_ || (i == axis && x.strides[i] != item_);
            if (x.strides[i] != next) ++distances_;
            nearest = x.strides[i];
            next = nearest * x.shape[i];
        }
    }

    // Whether copying them takes less than to go through them where they are: contiguous lines at one
    // distance from each other are as well read there.
    bool suit() const {
        return in_order_ && length_ > 0 && length_ <= most_of_packed_line && lines_ > 1 &&
               (is_apart_ || distances_ > 1);
    }

    std::int64_t elements() const { return lines_ * length_; }
    std::int64_t bytes() const { return elements() * item_; }

    // each(contiguous lines along the second of two axes, the number of the first of them)
    template <class Each>
    void run(int threads, const Each& each) const {
        Dims all;
        for (int i = 0; i < x_.rank; ++i)
            if (x_.shape[i] > 1) all.push({x_.shape[i], x_.strides[i], 0});
        const Packing packing(all, size_of(x_.format), x_.swapped);
        const std::int64_t together = packed_line_bytes / (length_ * item_);
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * together,
                               n = std::min(together, lines_ - first);
            const Room elements(static_cast<std::size_t>(n * length_ * item_));
            packing.copy(x_.data, first * length_, n * length_, elements.get());
            const std::int64_t shape[] = {n, length_}, strides[] = {length_ * item_, item_};
            each(View{elements.get(), 2, shape, strides, x_.format, false}, first);
        };
        for_each_task(static_cast<std::size_t>((lines_ + together - 1) / together),
                      static_cast<std::size_t>(threads), task);
    }

  private:
    const View& x_;
    const std::int64_t item_, length_;
    std::int64_t lines_ = 1;
    bool in_order_ = true;   // along the last axis, and nothing repeated or backwards
    bool is_apart_ = false;  // the elements of a line
    int distances_ = 0;      // gaps, each as large as all others at its place
};

}  // namespace samesum
