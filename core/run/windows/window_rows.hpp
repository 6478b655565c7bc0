// Windows whose elements are read where they lie, a run of outputs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "methods/window_method.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

// A run is outputs side by side whose windows begin one step apart. Where that is one element, rows of
// elements are read as they lie; where it is some, elements of one residue are copied side by side first.
class WindowRows {
  public:
    WindowRows(const Reduction& row, const View& x, const Dim& run, const Dims& window, std::int64_t divisor);

    bool suits() const { return method_ != nullptr; }
    // Outputs of a run that are made at once.
    std::int64_t most() const { return step_ == 1 ? 2048 : 256; }
    std::size_t bytes() const { return copies_.size() * pitch_; }

    // The results of n <= most() windows, the first of which begins at p; false if not all are certain.
    // `room` has room for bytes().
    bool reduce(const char* p, std::int64_t n, char* room, char* out) const;

  private:
    // Elements that are copied for a run, in bytes from where its first window begins, and how many more than
    // outputs.
    struct Copy {
        std::int64_t offset, more;
    };
    // A row of elements: where it begins in memory or, in bytes, in its copy.
    struct Row {
        std::int64_t offset;
        std::size_t copy;
    };

    void copy_rows(const Dims& window);

    WindowSets method_ = nullptr;
    std::size_t divisor_, size_, pitch_ = 0;
    std::int64_t in_, step_ = 1;
    std::vector<Copy> copies_;
    std::vector<Row> rows_;
};

}  // namespace samesum
