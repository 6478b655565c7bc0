// Reductions of windows: what pools are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "methods/short_method.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

// The terms have one format and the rank and shape of `out`, with strides of zero where they repeat. `out` is
// C-contiguous, of `format`, and shares no memory with them.
void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out);

// The windows along one dimension: that of output i takes the count[i] elements first[i], first[i] +
// dilation, ... and adds weight[i] as a factor to what a mean divides by. Without `first` each element is a
// window of its own.
struct WindowAxis {
    std::int64_t outputs, dilation = 1;
    const std::int64_t *first = nullptr, *count = nullptr, *weight = nullptr;
};

// One axis for each dimension of x; `out` is C-contiguous and shares no memory with x. No element lies
// outside of x, and no weight is less than its count. A position is the sum of the elements' indices along
// each dimension times its index step, and -1 where a window has none.
struct WindowCall {
    View x;
    const WindowAxis* axes;
    const std::int64_t* index_steps;  // of positions alone
    Reduction row;
    Format format;
    void* out;
};

void reduce_windows(const WindowCall& call);

// Reductions of sets whose elements were copied side by side first.

class GatheredSets {
  public:
    // Each set has `count` elements, one at least; a mean divides their sum by `divisor`, which is not less.
    // At least so many sets are taken at a time.
    GatheredSets(const Reduction& row, Format in, Format out, std::int64_t count, std::int64_t divisor,
                 std::int64_t least_together = 1);

    // Sets at a time: their elements stay in the first cache, if that has room for so many.
    std::int64_t together() const { return together_; }
    std::size_t bytes() const { return static_cast<std::size_t>(together_ * rows_) * size_; }

    // Row k holds element k of each set; otherwise the elements of a set lie side by side.
    bool are_rows() const { return rows_ <= most_gathered_rows; }

    // Writes the results of n <= together() sets. `elements` has room for bytes(), which the reduction may
    // fill up with zeros.
    void reduce(char* elements, std::int64_t n, void* out) const;

  private:
    Reduction row_;
    Format in_;
    std::int64_t count_, rows_, together_;
    std::size_t size_;
    Tiers tiers_;
    Finish how_;
};

// Windows whose elements are read where they lie, a run of outputs at a time.

// A run is outputs along one dimension whose windows begin at equal distances. Where that is one element,
// rows of elements are read as they lie; where it is more, they are copied side by side first: those of one
// residue together, of as many residues as there are elements between the beginnings of windows.
class WindowRows {
  public:
    WindowRows(const Reduction& row, const View& x, const Dim& run, const Dims& window, std::int64_t divisor);

    bool suits() const { return method_ != nullptr; }
    // Outputs of a run that are made at once.
    std::int64_t most() const { return is_direct() ? 2048 : 192; }
    std::size_t bytes() const { return is_direct() ? 0 : spans_.size() * pitch(); }

    // Runs of as many outputs, which begin `stride` bytes after the other.
    struct Runs {
        std::int64_t count, stride;
    };
    // How many runs of n outputs are made together at most, and how far apart their results are.
    std::int64_t together(std::int64_t n, std::int64_t stride) const;
    std::int64_t pitch_of(std::int64_t n, std::int64_t stride) const;

    // The results of n windows of each run, the first of which begins at p; most() of them, with what lies
    // between the runs, at most. False if not all are certain. `room` has room for bytes().
    bool reduce(const char* p, std::int64_t n, const Runs& runs, char* room, char* out) const;

  private:
    // Elements as far apart as the beginnings of windows: in bytes from where the first window begins, and
    // how many more than outputs.
    struct Span {
        std::int64_t offset, more;
    };
    // A row of elements: the span that it is in, and from which byte on when the elements are side by side.
    struct Row {
        std::int64_t offset;
        std::size_t span;
    };
    // A dimension of a window along the run: distances in the unit that divides those of both.
    struct Along {
        std::int64_t count, apart, unit;
        int dim;
    };

    bool is_direct() const { return in_ == static_cast<std::int64_t>(size_); }
    std::size_t pitch() const { return transposed_pitch * size_; }
    Along along(const Dims& window, std::int64_t outputs) const;
    void lay_out(const Dims& window, const Along& by);
    void copy(const char* p, std::int64_t n, char* room) const;

    WindowSets method_ = nullptr;
    ToColumns to_columns_ = nullptr;
    std::size_t divisor_, size_;
    std::int64_t in_, step_ = 1, more_ = 0;
    bool is_aligned_;
    std::vector<Span> spans_;
    std::vector<Row> rows_;
};

}  // namespace samesum
