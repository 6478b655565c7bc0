// Single elements of products, whose rows are gathered.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "arithmetic/error_free.hpp"
#include "contractions/contraction.hpp"
#include "kernels/instruction_set.hpp"
#include "run/tiles.hpp"

namespace samesum {

// A multiple of `unit` that is within `bound` of hi + lo can be nothing but zero. (Lemma 87)
inline bool is_zero(double hi, double lo, double bound, double unit) {
    return 2 * (std::fabs(hi + lo) + bound) < unit;
}

// Elements of floats one after the other: first in double-words, then exactly.
class ContractionElements {
  public:
    explicit ContractionElements(const Contraction& call);

    // Writes element (m, n) of batch g.
    void put(std::size_t g, std::size_t m, std::size_t n);

  private:
    Sum in_double_words() const;
    std::uint64_t exactly(double addend) const;
    // The terms of one row, gathered unless they are there.
    void gather(const ContractionOperand& x, std::size_t g, std::size_t row, std::int64_t& known,
                char* to) const;

    const Contraction& call_;
    const ContractionMethods& methods_;
    const std::size_t terms_;
    const Format format_;   // of the gathered rows
    const bool is_finite_;  // alpha and beta are
    Scratch rows_, tile_;
    char *const a_, *const b_;
    std::int64_t row_of_a_ = -1, row_of_b_ = -1;
};

}  // namespace samesum
