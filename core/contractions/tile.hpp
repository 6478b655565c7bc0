// The results of some rows and the columns of a strip.
#pragma once

#include <cstdint>
#include <optional>

#include "contractions/elements.hpp"
#include "contractions/plan.hpp"
#include "run/tiles.hpp"

namespace samesum {

class ContractionTile {
  public:
    ContractionTile(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t first_row);

    void make();

  private:
    struct Measures;
    static constexpr std::size_t room_columns = direct_columns + contraction_vector;

    // multiply(panel of rows, panel of columns, terms, row, column) of each pair of panels of each block.
    template <class PerRows, class PerPair>
    void each_block(const PerRows& per_rows, const PerPair& multiply);
    // Few rows times columns as they lie.
    void add_directly();
    void finish_integers() const;
    void finish_floats();
    // Writes the results of row r and marks those that are in doubt; returns how many these are.
    std::size_t finish_row(std::size_t r, ContractionSums sums, bool is_first);
    // By better bounds, then by sums in two words.
    void refine();
    void multiply_twice(const Measures& all);
    void decide_elements();

    char* place(std::size_t r) const {
        return const_cast<char*>(call_.out.data) + call_.out.batch[strip_.g] +
               call_.out.outer[first_row_ + r];
    }
    double* sums(std::size_t r) const { return reinterpret_cast<double*>(sums_.get()) + r * pitch_; }

    const ContractionPlan& plan_;
    const Contraction& call_;
    ContractionStrip strip_;
    const std::size_t first_row_, rows_, padded_rows_, pitch_;
    Scratch sums_, own_norms_;  // of a strip that has none
    double norms_[contraction_rows] = {};
    std::size_t gathered_row_ = SIZE_MAX;
    alignas(64) double addends_[room_columns];
    std::uint8_t failed_[contraction_rows * contraction_columns];
    std::size_t failures_ = 0;
};

}  // namespace samesum
