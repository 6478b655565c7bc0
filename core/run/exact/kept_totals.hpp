// Exact sums, products and sums of exponentials of many sets whose elements come in any order: merged, stored
// and rounded at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exact/exponentials/exponential_total.hpp"
#include "exact/methods.hpp"
#include "exact/moments/moments.hpp"
#include "exact/products/product.hpp"
#include "layout/plan.hpp"
#include "run/states/float_totals.hpp"

namespace samesum {

// Of the elements of `outputs` sets, any format but the floats of eight bits, whose states are in those of
// `States` that take the format. What is merged or compared has the same format, map and number of outputs.
template <class... States>
class KeptTotals {
  public:
    KeptTotals(Format in, std::int64_t outputs, Map map = Map::itself);
    KeptTotals(const KeptTotals&) = delete;

    // Takes some elements of every set, those that its mask chooses: all pieces have as many outputs and the
    // format `in`.
    void add(const View& piece, const bool* reduced);
    void merge(const KeptTotals& other);
    bool is_like(const KeptTotals& other) const {
        return in_ == other.in_ && map_ == other.map_ && outputs_ == other.outputs_;
    }

    // Writes each total, finalized with its own count of elements, or one if there are none, and rounded
    // once; of products and exponentials to a float format.
    void round(Finalize finalize, Format out, const std::int64_t* counts, void* to) const;

    // `is_brief`: see Product; the same of sums of exponentials.
    std::string encoded(bool is_brief) const;
    // False, and the totals are undefined, unless these bytes are so many totals.
    bool decode(const char* from, std::size_t n, bool is_brief);

    Format in() const { return in_; }
    std::int64_t outputs() const { return outputs_; }

  protected:
    const Format in_;
    const std::int64_t outputs_;
    const Map map_;
    std::variant<States...> totals_;
};

// Sums of exponentials; the result is the logarithm of each.
using ExponentialTotals =
    KeptTotals<std::vector<ExponentialTotal<double>>, std::vector<ExponentialTotal<std::int64_t>>,
               std::vector<ExponentialTotal<std::uint64_t>>>;

class ProductTotals : public KeptTotals<std::vector<Product>> {
  public:
    using KeptTotals::KeptTotals;

    // Multiplies by the elements along `axis` one after the other; writes each product rounded once, or that
    // before the element, to `to`, C-contiguous and of the shape of the piece.
    void scan(const View& piece, int axis, bool is_exclusive, Format out, void* to);
};

// Sums of map(x).
class ExactTotals : public KeptTotals<FloatTotals, std::vector<WideInteger>> {
  public:
    using KeptTotals::KeptTotals;

    // From these totals of elements and those of their squares, each with its own count; Moment::count is
    // none of them.
    void round_moments(const ExactTotals& squares, const Moment& how, const std::int64_t* counts,
                       void* to) const;

    // Of floats: a few elements whose exact sum each total is, those of output j from number
    // j * `most` on, and zeros behind them. Returns the greatest number of them, or nothing if that is more.
    std::optional<std::size_t> elements(std::size_t most, std::vector<std::uint64_t>& bits) const;

    Map map() const { return map_; }
};

}  // namespace samesum
