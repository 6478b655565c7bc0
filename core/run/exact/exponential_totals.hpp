// Sums of exponentials of many sets whose elements come in any order: merged, stored and rounded at any time.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "exact/exponentials/exponential_total.hpp"
#include "layout/plan.hpp"

namespace samesum {

class ExponentialTotals {
  public:
    // Of the elements of `outputs` sets, any format but the floats of eight bits.
    ExponentialTotals(Format in, std::int64_t outputs);

    // Adds some elements of every set, those that its mask chooses: all pieces have as many outputs and the
    // format `in`.
    void add(const View& piece, const bool* reduced);
    // Of the same format and number of outputs.
    void merge(const ExponentialTotals& other);

    // Writes the logarithm of each sum, rounded once to a float format.
    void round(Format out, void* to) const;

    std::string encoded() const;
    // False, and the sums are undefined, unless these bytes are so many sums.
    bool decode(const char* from, std::size_t n);

    Format in() const { return in_; }
    std::int64_t outputs() const { return outputs_; }

  private:
    template <class Value>
    using Of = std::vector<ExponentialTotal<Value>>;

    const Format in_;
    const std::int64_t outputs_;
    std::variant<Of<double>, Of<std::int64_t>, Of<std::uint64_t>> totals_;
};

}  // namespace samesum
