// Exact products and sums of exponentials of many sets whose elements come in any order: merged, stored and
// rounded at any time.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "exact/exponentials/exponential_total.hpp"
#include "exact/products/product.hpp"
#include "layout/plan.hpp"

namespace samesum {

// Of the elements of `outputs` sets, any format but the floats of eight bits. What is merged or compared has
// the same format and number of outputs.
template <class... States>
class KeptTotals {
  public:
    KeptTotals(Format in, std::int64_t outputs);

    // Takes some elements of every set, those that its mask chooses: all pieces have as many outputs and the
    // format `in`.
    void add(const View& piece, const bool* reduced);
    void merge(const KeptTotals& other);

    // Writes each result, rounded once to a float format.
    void round(Format out, void* to) const;

    // `is_brief`: see Product; the same of sums of exponentials.
    std::string encoded(bool is_brief) const;
    // False, and the totals are undefined, unless these bytes are so many totals.
    bool decode(const char* from, std::size_t n, bool is_brief);

    Format in() const { return in_; }
    std::int64_t outputs() const { return outputs_; }

  protected:
    const Format in_;
    const std::int64_t outputs_;
    std::variant<std::vector<States>...> totals_;
};

// Sums of exponentials; the result is the logarithm of each.
using ExponentialTotals =
    KeptTotals<ExponentialTotal<double>, ExponentialTotal<std::int64_t>, ExponentialTotal<std::uint64_t>>;

class ProductTotals : public KeptTotals<Product> {
  public:
    using KeptTotals::KeptTotals;

    // Multiplies by the elements along `axis` one after the other; writes each product rounded once, or that
    // before the element, to `to`, C-contiguous and of the shape of the piece.
    void scan(const View& piece, int axis, bool is_exclusive, Format out, void* to);
};

}  // namespace samesum
