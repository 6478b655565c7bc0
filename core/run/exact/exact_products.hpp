// Exact products of many sets whose elements come in any order: merged, stored and rounded at any time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exact/products/product.hpp"
#include "layout/plan.hpp"

namespace samesum {

class ProductTotals {
  public:
    // Of the elements of `outputs` sets, any format but the floats of eight bits.
    ProductTotals(Format in, std::int64_t outputs);

    // Multiplies by some elements of every set: all pieces have as many outputs and the format `in`.
    void add(const View& piece, const bool* reduced);
    // Of the same format and number of outputs.
    void merge(const ProductTotals& other);

    // Multiplies by the elements along `axis` one after the other; writes each product rounded once, or that
    // before the element, to `to`, C-contiguous and of the shape of the piece.
    void scan(const View& piece, int axis, bool is_exclusive, Format out, void* to);

    // Writes each product, rounded once to a float format.
    void round(Format out, void* to) const;

    std::string encoded(bool is_brief) const;
    // False, and the products are undefined, unless these bytes are so many products.
    bool decode(const char* from, std::size_t n, bool is_brief);

    Format in() const { return in_; }
    std::int64_t outputs() const { return outputs_; }

  private:
    const Format in_;
    const std::int64_t outputs_;
    std::vector<Product> products_;
};

}  // namespace samesum
