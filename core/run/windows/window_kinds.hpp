// The windows of an array by their kind: those that have as many elements and begin at equal distances.
#pragma once

#include <cstdint>
#include <vector>

#include "run/windows/windows.hpp"

namespace samesum {

// Outputs along one dimension whose windows have as many elements, begin at equal distances and weigh the
// same.
struct WindowRun {
    std::int64_t begin, size, first, step, count, weight;

    bool is_continued_by(std::int64_t at, std::int64_t elements, std::int64_t weighs) const {
        return elements == count && weighs == weight && (size == 1 || at == first + size * step);
    }
};

// A dimension of the array with its windows.
struct WindowDim {
    std::vector<WindowRun> runs;
    std::int64_t outputs, dilation, in, out, index;  // steps in bytes, in elements of `out` and in indices
    bool is_plain;

    // Whether this one and the next are one dimension of elements that are windows of their own.
    bool joins(const WindowDim& next) const {
        return is_plain && next.is_plain && in == next.in * next.outputs &&
               index == next.index * next.outputs;
    }
};

std::vector<WindowDim> window_dims_of(const WindowCall& call);

// Windows of one kind: a run along each dimension.
struct WindowKind {
    std::vector<WindowRun> runs;
    std::int64_t count = 1, divisor = 1, outputs = 1;
};

std::vector<WindowKind> window_kinds_of(const std::vector<WindowDim>& dims);

}  // namespace samesum
