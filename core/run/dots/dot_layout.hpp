// How the elements of dot products lie, and the order in which they are gone through.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/plan.hpp"

namespace samesum {

// Neighbours of two operands; a and b in bytes, `out` in elements.
struct DotDim {
    std::int64_t size, a, b, out;
};

struct DotOperand {
    const char* data;
    std::int64_t step;  // from element to element of a vector, in bytes
    bool swapped;       // the other byte order
};

// Vectors of `length` elements in pairs, one for each index of the kept dimensions, of which the result is
// C-contiguous.
struct DotCall {
    DotDim kept[max_rank];
    int rank;
    DotOperand a, b;
    std::int64_t length;
    Format format;  // of the elements: no byte floats, no booleans
    Format result;
    void* out;
};

// The same in the order of the memory: steps are not negative where an order is free, neighbours are one
// dimension, and if one operand repeats along the last dimension it is b.
struct DotLayout : DotCall {
    explicit DotLayout(const DotCall& call);

    DotDim side() const { return rank > 0 ? kept[rank - 1] : DotDim{1, 0, 0, 0}; }
    std::size_t size() const { return size_of(format); }
    bool lies(const DotOperand& x, std::int64_t stride) const {
        return !x.swapped && stride == static_cast<std::int64_t>(size());
    }

    std::int64_t count;       // of vectors
    std::int64_t out_offset;  // of the first result
    bool by_columns;          // the elements of neighbouring vectors are taken together
    std::int64_t fold;        // columns: rows that are taken as one, side by side
};

// The places of one pair of vectors after the other.
class DotWalk {
  public:
    DotWalk(const DotLayout& all, std::int64_t index);

    // Pairs from here on along the last dimension, at most.
    std::int64_t run() const { return all_.side().size - (all_.rank > 0 ? at_[all_.rank - 1] : 0); }
    // Moves past so many of them.
    void skip(std::int64_t n);

    const char* a() const { return all_.a.data + a_; }
    const char* b() const { return all_.b.data + b_; }
    std::int64_t out() const { return all_.out_offset + out_; }

  private:
    const DotLayout& all_;
    std::int64_t a_ = 0, b_ = 0, out_ = 0;
    std::int64_t at_[max_rank];
};

// Bytes that are read, of both operands.
inline std::int64_t dot_bytes(const DotCall& call) {
    std::int64_t count = 1;
    for (int i = 0; i < call.rank; ++i) count *= call.kept[i].size;
    return 2 * count * call.length * static_cast<std::int64_t>(size_of(call.format));
}

// Each the exact sum of the exact products, rounded once to `result`; of integers modulo 2^k in the format of
// the elements. There is at least one vector, and one element in each.
void dot_products(const DotCall& call);

}  // namespace samesum
