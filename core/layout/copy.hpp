// Elements that lie apart, side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"
#include "select/layout_thresholds.hpp"

namespace samesum {

// Copies n elements from places `in` bytes apart to places `out` bytes apart, in the other byte order if so
// asked.
void copy_elements(const char* from, std::int64_t in, char* to, std::int64_t out, std::size_t n,
                   std::size_t size, bool swap);

// Copies n elements `stride` bytes apart side by side, in native byte order. What lies `ahead` bytes beyond
// is asked for on the way; nothing if that is zero.
void gather(const char* from, std::int64_t stride, std::size_t n, std::size_t size, bool swapped, char* to,
            std::int64_t ahead = 0);

// Copies n elements to places `stride` bytes apart.
void scatter(const char* from, std::size_t n, std::size_t size, char* to, std::int64_t stride);

// The elements of some dimensions in row-major order, of which any number from any place on can be copied.
class Packing {
  public:
    Packing(const Dims& dims, std::size_t size, bool swapped);

    // n of them, beginning with number `first`, side by side, in native byte order.
    void copy(const char* data, std::int64_t first, std::int64_t n, char* to) const {
        copy_from(0, data, first, n, to);
    }
    // The same where they lie if they are so, else in `room`.
    const char* elements(const char* data, std::int64_t first, std::int64_t n, char* room) const {
        if (is_direct()) return data + first * static_cast<std::int64_t>(size_);
        copy(data, first, n, room);
        return room;
    }
    bool is_direct() const {
        return dims_.rank == 1 && !swapped_ && dims_.dim[0].in == static_cast<std::int64_t>(size_);
    }

  private:
    char* copy_from(int level, const char* p, std::int64_t first, std::int64_t n, char* to) const;
    char* copy_rows(const char* p, std::int64_t rows, char* to) const;

    Dims dims_;
    std::int64_t inner_[max_rank];  // elements of one index of each dimension
    std::size_t size_;
    bool swapped_;
};

// Writing what will not be read again soon.

// Copies past the caches, a cache line at a time where it can: lines that are written whole are not read
// first. Other threads see it after `finish_streams`.
void stream(char* to, const char* from, std::size_t bytes);
void finish_streams();

}  // namespace samesum
