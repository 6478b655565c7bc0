// Short rows that lie side by side, as columns for a while.
#pragma once

#include <bit>
#include <cstddef>

#include "kernels/instruction_set.hpp"
#include "select/layout_thresholds.hpp"

namespace samesum {

// Rows of 2 to `short_elements` elements. As columns, run number i of them holds element i of each row.
class BlockTranspose {
  public:
    // For the runs of as many rows as are transposed at a time.
    static constexpr std::size_t few = transposed_elements, few_rows = transposed_rows, many_rows = 64;
    static constexpr std::size_t buffer_bytes = short_elements * (many_rows + 8) * 8;
    static_assert(buffer_bytes >= few * transposed_pitch * 8);

    BlockTranspose(std::size_t size, std::size_t elements)
        : methods_(*current_instruction_set().transposes),
          size_(size),
          elements_(elements),
          index_(static_cast<std::size_t>(std::countr_zero(size))) {}

    // So few that they stay in L1 beside the elements that come.
    std::size_t rows() const {
        const std::size_t fitting = static_cast<std::size_t>(transposed_bytes) / (elements_ * size_);
        return std::clamp(std::bit_floor(fitting), static_cast<std::size_t>(least_transposed_rows),
                          elements_ <= few ? few_rows : many_rows);
    }
    // From run to run, in bytes.
    std::ptrdiff_t step() const { return static_cast<std::ptrdiff_t>(pitch() * size_); }

    void to_columns(const void* from, std::size_t rows, void* to) const {
        if (const ToColumns known = elements_ <= few ? methods_.known[index_][elements_] : nullptr)
            known(from, rows, to);
        else
            methods_.any[index_](from, stride(), elements_, rows, to, pitch());
    }
    void to_rows(const void* from, std::size_t rows, void* to) const {
        if (const ToColumns known = elements_ <= few ? methods_.known_back[index_][elements_] : nullptr)
            known(from, rows, to);
        else
            methods_.any_back[index_](from, pitch(), elements_, rows, to, stride());
    }

  private:
    std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(elements_); }
    std::size_t pitch() const { return elements_ <= few ? transposed_pitch : many_rows + 8; }

    const TransposeMethods& methods_;
    const std::size_t size_, elements_, index_;
};

}  // namespace samesum
