// Exact totals of many sets whose elements come in any order: merged, stored and rounded at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exact/methods.hpp"
#include "exact/moments/moments.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"
#include "run/states/float_totals.hpp"

namespace samesum {

class ExactTotals {
  public:
    // Of map(x) for the elements x of `outputs` sets, any format but the floats of eight bits.
    ExactTotals(Format in, Map map, std::int64_t outputs);
    ExactTotals(const ExactTotals&) = delete;

    // Adds some elements of every set: all pieces have as many outputs and the format `in`.
    void add(const View& piece, const bool* reduced);
    // Of the same format, map and number of outputs.
    void merge(const ExactTotals& other);

    // Writes each total, finalized with its own count of elements and rounded once.
    void round(Finalize finalize, Format out, const std::int64_t* counts, void* to) const;

    // From these totals of elements and those of their squares, each with its own count; Moment::count is
    // none of them.
    void round_moments(const ExactTotals& squares, const Moment& how, const std::int64_t* counts,
                       void* to) const;

    // Of floats: a few elements whose exact sum each total is, those of output j from number
    // j * `most` on, and zeros behind them. Returns the greatest number of them, or nothing if that is more.
    std::optional<std::size_t> elements(std::size_t most, std::vector<std::uint64_t>& bits) const;

    std::string encoded() const;
    // False, and the totals are undefined, unless these bytes are totals of so many outputs.
    bool decode(const char* from, std::size_t n);

    Format in() const { return in_; }
    Map map() const { return map_; }
    std::int64_t outputs() const { return outputs_; }

  private:
    const Format in_;
    const Map map_;
    const std::int64_t outputs_;
    FloatTotals real_;               // of floats
    std::vector<WholeWords> whole_;  // of integers
};

// An exact total as bytes, the same for the same total: docs/states.md says what each of them means.

void encode(const Superaccumulator& total, std::string& to);
void encode(const WholeWords& total, std::string& to);

// Reads one total and moves on; false if there is none in the canonical form.
bool decode(const char*& from, const char* end, KeptTotal& total);
bool decode(const char*& from, const char* end, WholeWords& total);

}  // namespace samesum
