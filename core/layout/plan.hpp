// Shape, strides and axes become a few canonical loops.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

constexpr int max_rank = 64;

// `in` in bytes, `out` in elements, `mask` in bytes of the mask; all may be negative or zero.
struct Dim {
    std::int64_t size, in, out, mask;

    Dim() = default;
    constexpr Dim(std::int64_t of, std::int64_t from, std::int64_t to, std::int64_t masked = 0)
        : size(of), in(from), out(to), mask(masked) {}
};

// Dimensions from the outermost to the innermost.
struct Dims {
    Dim dim[max_rank];
    int rank = 0;

    void push(Dim d) { dim[rank++] = d; }
    std::int64_t count() const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i) n *= dim[i].size;
        return n;
    }
};

// Elements that are left out, whatever a mask says.
enum class Skip : std::uint8_t { nothing, nan, zeros };

// An array as its memory lies.
struct View {
    const char* data;
    int rank;
    const std::int64_t* shape;
    const std::int64_t* strides;  // bytes
    Format format;
    bool swapped;  // the other byte order
    // One byte for each element that is not zero where the element is chosen; null: all are.
    const char* mask = nullptr;
    const std::int64_t* mask_strides = nullptr;
    Skip skip = Skip::nothing;
    // Pairs of elements: `mask` is a second operand of the same shape and format.
    bool is_pair = false, other_swapped = false;

    bool is_masked() const { return (mask != nullptr && !is_pair) || skip != Skip::nothing; }
    std::int64_t mask_stride(int i) const { return mask != nullptr ? mask_strides[i] : 0; }
};

// The two loop shapes. Lanes: the inner dimension is reduced, each output has a run of elements to itself.
// Columns: the inner dimension is kept, each row adds one element to every output of a tile.
enum class Shape : std::uint8_t { lanes, columns };

struct Plan {
    Shape shape;
    const char* data;    // first element; negative strides are flipped if their order is free
    std::int64_t out;    // offset of the first output, in elements
    Dims kept, reduced;  // without `inner`
    Dim inner;
    std::int64_t kept_count, reduced_count;  // with `inner`
    std::int64_t fold;                       // columns: rows that are taken as one, side by side
    bool transposed;  // columns: each reduced set is contiguous, and they lie side by side
    Format format;
    bool contiguous;  // the inner dimension can be read as it lies
    bool swapped;
    bool ordered;      // the elements of a set come in row-major order of the reduced dimensions
    const char* mask;  // as a view has them
    Skip skip;
    bool is_pair, other_swapped;  // of a pair the one that repeats along `inner`, if one does, is the other
    bool is_masked() const { return (mask != nullptr && !is_pair) || skip != Skip::nothing; }
};

// What matters to a plan about the method: whether the elements have to come in their order, and how many of
// them make a lane worth its closing; shorter ones are taken as columns, of which a vector holds many. Where
// they lie side by side that pays longer.
struct LayoutHints {
    bool ordered = false;
    std::int64_t least_lane = samesum::least_lane, least_lane_side_by_side = samesum::least_lane;
};

// `reduced[i]`: dimension i is reduced. The outputs are C-contiguous over the kept dimensions in their order.
Plan plan_reduction(const View& x, const bool* reduced, const LayoutHints& hints);

// Whether the results come in the order in which the plan goes through their sets.
bool are_in_order(const Plan& plan);

// Neighbours that one dimension can stand for become one.
void merge_neighbours(Dims& dims);

// The offsets of element `index` of `dims`, counted in row-major order.
struct Offsets {
    std::int64_t in, out;
};
Offsets offsets_at(const Dims& dims, std::int64_t index);

// The same offsets one index after the other.
class Walk {
  public:
    Walk(const Dims& dims, std::int64_t index);
    void next() {
        for (int i = dims_.rank - 1; i >= 0; --i) {
            const Dim& d = dims_.dim[i];
            offsets_.in += d.in;
            offsets_.out += d.out;
            if (++at_[i] < d.size) return;
            at_[i] = 0;
            offsets_.in -= d.in * d.size;
            offsets_.out -= d.out * d.size;
        }
    }
    std::int64_t in() const { return offsets_.in; }
    std::int64_t out() const { return offsets_.out; }

  private:
    const Dims& dims_;
    Offsets offsets_{0, 0};
    std::int64_t at_[max_rank];
};

// From one set to the next.
inline Dims kept_dims(const Plan& plan) {
    Dims dims = plan.kept;
    if (plan.shape == Shape::columns) dims.push(plan.inner);
    return dims;
}

// From one element of a set to the next.
inline Dims reduced_dims(const Plan& plan) {
    Dims dims = plan.reduced;
    if (plan.shape == Shape::lanes) dims.push(plan.inner);
    return dims;
}

// Those of `more` within those of `dims`.
inline Dims joined(Dims dims, const Dims& more) {
    for (int i = 0; i < more.rank; ++i) dims.push(more.dim[i]);
    return dims;
}

// Shape, strides and an axis become the lines or columns of a scan.

struct ScanOptions {
    bool exclusive, reverse, include_initial;
};

// The loops: one line along the axis for each element of `lines`; in columns the innermost of them is
// `inner`.
struct ScanPlan {
    const char* data;  // the first element in the order of the scan
    char* out;         // where its inclusive prefix goes
    Dim axis;          // out in bytes here, as in `lines` and `inner`
    Dims lines;
    Dim inner;
    std::int64_t written;  // prefixes along the axis that are wanted: the exclusive scan drops the last one
    bool has_initial;      // the element before the first prefix is that of the empty set
    bool columns, swapped;
    Format in, format;

    // Of an element and of a prefix, and how many elements there are: calls of few elements ask often.
    std::int64_t item_bytes, result_bytes, count;

    std::int64_t item() const { return item_bytes; }
    std::int64_t result() const { return result_bytes; }
    std::int64_t elements() const { return count; }
    std::int64_t bytes() const { return count * item_bytes; }

    // Elements so many bytes apart can be read as they lie.
    bool lies(std::int64_t stride) const { return stride == item() && !swapped; }
    // n of them, side by side in native byte order: where they lie, or gathered into `buffer`. What is
    // `ahead` bytes beyond is asked for on the way.
    const char* elements_at(const char* p, std::int64_t stride, std::size_t n, char* buffer,
                            std::int64_t ahead = 0) const;
};

// `out` is C-contiguous, of `format`; with include_initial its axis is one longer.
ScanPlan plan_scan(const View& x, int axis, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
