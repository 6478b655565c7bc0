// Small groups of few columns each, as (100000, 5, 3) has along axis 1: each by itself would cost more than
// its elements.
#pragma once

#include <cstdint>

#include "layout/plan.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

// Contiguous groups of so many rows and columns, one after the other.
struct Groups {
    const char* data;
    Format format;
    std::int64_t count, rows, columns;

    // An array along one of its axes; no groups if it does not lie so.
    static Groups along(const View& x, int axis);

    // Whether there are many, of no more columns and elements, that lie where they can be taken, like their
    // results.
    bool are_small(std::int64_t most_columns, std::int64_t most_elements, Format result,
                   const void* out) const;
    std::int64_t elements() const { return count * rows * columns; }
    std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(size_of(format)); }
    // Bytes of so many rows of some groups.
    std::size_t room_for(std::int64_t number, std::int64_t rows_of_each, Format of) const {
        return static_cast<std::size_t>(number * rows_of_each * columns) * samesum::size_of(of);
    }
    // How many make a block.
    std::int64_t together() const;
};

// Short lines of elements that lie apart, or with gaps of several sizes between the lines, as (512, 32,
// 32)[:, 3:13, 3:13] has along its last axis.

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

    // Elements of the widest vector.
    static constexpr std::int64_t vector = 8;

    // Whether copying them takes less than to go through them where they are: contiguous lines at one
    // distance from each other that fill a vector are as well read there.
    bool suit() const {
        return in_order_ && length_ > 0 && length_ <= most_of_packed_line && lines_ > 1 &&
               (is_apart_ || distances_ > (length_ < vector ? 0 : 1));
    }

    std::int64_t elements() const { return lines_ * length_; }
    std::int64_t bytes() const { return elements() * item_; }

    std::int64_t count() const { return lines_; }
    std::int64_t length() const { return length_; }
    // Lines that are copied at a time.
    std::int64_t together() const { return packed_bytes / (length_ * item_); }
    const View& view() const { return x_; }

  private:
    const View& x_;
    const std::int64_t item_, length_;
    std::int64_t lines_ = 1;
    bool in_order_ = true;   // along the last axis, and nothing repeated or backwards
    bool is_apart_ = false;  // the elements of a line
    int distances_ = 0;      // gaps, each as large as all others at its place
};

}  // namespace samesum
