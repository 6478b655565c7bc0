// One pass over some pairs of vectors: their products added to a tile of totals.
#pragma once

#include "methods/dot_method.hpp"
#include "run/dots/dot_layout.hpp"

namespace samesum {

// Pairs of vectors in the order of the layout.
struct DotRange {
    std::int64_t first, count;
};

class DotPass {
  public:
    DotPass(const DotLayout& all, const DotMethod& method)
        : all_(all), method_(method), item_(static_cast<std::int64_t>(all.size())) {}

    // Makes a tile of the products of elements [begin, end) of each.
    void add(char* tile, const DotRange& some, std::int64_t begin, std::int64_t end) const;

  private:
    void add_lanes(char* tile, std::int64_t j, DotWalk& walk, std::int64_t begin, std::int64_t count,
                   std::int64_t n) const;
    // Copies rows of `columns` elements, which lie `row_step` bytes apart and their elements `step`, to rows
    // that lie `pitch` bytes apart.
    void copy(const DotOperand& x, const char* from, std::int64_t row_step, std::int64_t step,
              std::int64_t rows, std::int64_t columns, char* to, std::int64_t pitch) const;
    // Copies neighbours whose elements lie apart, and adds them as lanes.
    void add_copies(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                    std::int64_t n) const;
    void add_columns(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                     std::int64_t n) const;
    // Adds rows of few elements that follow one another, several as one.
    void add_folded(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                    std::int64_t n) const;
    const DotLayout& all_;
    const DotMethod& method_;
    const std::int64_t item_;
};

}  // namespace samesum
