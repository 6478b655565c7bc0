// Neighbouring lines side by side, `pitch` bytes apart, and back: each by itself, or element after element of
// all of them where it is they that lie closer together, so that memory is read and written by whole cache
// lines.
#pragma once

#include <cstdlib>

#include "layout/copy.hpp"
#include "layout/plan.hpp"

namespace samesum {

struct Neighbours {
    std::int64_t count, side, pitch;
    std::size_t size;  // of an element

    // Elements of a run of each line, as `gather` does with one.
    void gather_run(const char* from, const Dim& run, bool swapped, bool one_by_one, char* to) const {
        if (one_by_one || std::abs(run.in) <= std::abs(side)) {
            for (std::int64_t k = 0; k < count; ++k)
                gather(from + k * side, run.in, static_cast<std::size_t>(run.size), size, swapped,
                       to + k * pitch, side);
            return;
        }
        for (std::int64_t i = 0; i < run.size; ++i)
            copy_elements(from + i * run.in, side, to + i * static_cast<std::int64_t>(size), pitch,
                          static_cast<std::size_t>(count), size, swapped);
    }

    void scatter_run(const char* from, const Dim& run, bool one_by_one, char* to) const {
        if (one_by_one || run.out <= side) {
            for (std::int64_t k = 0; k < count; ++k)
                scatter(from + k * pitch, static_cast<std::size_t>(run.size), size, to + k * side, run.out);
            return;
        }
        for (std::int64_t i = 0; i < run.size; ++i)
            copy_elements(from + i * static_cast<std::int64_t>(size), pitch, to + i * run.out, side,
                          static_cast<std::size_t>(count), size, false);
    }
};

}  // namespace samesum
