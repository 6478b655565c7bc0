#include "run/exact/exact_products.hpp"

#include <algorithm>

#include "arithmetic/rounding.hpp"
#include "run/states/kept_states.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

ProductTotals::ProductTotals(Format in, std::int64_t outputs)
    : in_(in), outputs_(outputs), products_(static_cast<std::size_t>(outputs)) {}

void ProductTotals::add(const View& piece, const bool* reduced) {
    add_to_states(piece, reduced, product_method(in_), products_.data());
}

void ProductTotals::merge(const ProductTotals& other) {
    for (std::size_t j = 0; j < products_.size(); ++j) products_[j].merge(other.products_[j]);
}

void ProductTotals::scan(const View& piece, int axis, bool is_exclusive, Format out, void* to) {
    const FloatingPointScope scope;
    if (outputs_ == 0 || piece.shape[axis] == 0) return;
    const std::int64_t n = piece.shape[axis], step = piece.strides[axis];
    std::int64_t inner = 1;
    for (int i = axis + 1; i < piece.rank; ++i) inner *= piece.shape[i];
    Dims kept;
    for (int i = 0; i < piece.rank; ++i)
        if (i != axis) kept.push({piece.shape[i], piece.strides[i], 0});
    const Finish how{Finalize::itself, out, 1};
    const std::int64_t threads =
        outputs_ * n * static_cast<std::int64_t>(size_of(in_)) < threaded_bytes ? 1 : thread_count();
    const std::int64_t share = (outputs_ + threads - 1) / std::max<std::int64_t>(threads, 1);
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * share,
                           last = std::min(first + share, outputs_);
        if (first >= last) return;
        Walk walk(kept, first);
        for (std::int64_t j = first; j < last; ++j, walk.next()) {
            Product& product = products_[static_cast<std::size_t>(j)];
            const char* p = piece.data + walk.in();
            std::int64_t at = j / inner * n * inner + j % inner;
            for (std::int64_t i = 0; i < n; ++i, p += step, at += inner) {
                if (!is_exclusive) multiply_element(product, p, in_);
                store_bits(to, static_cast<std::size_t>(at), product.rounded(how), size_of(out));
                if (is_exclusive) multiply_element(product, p, in_);
            }
        }
    };
    for_each_task(static_cast<std::size_t>(threads), static_cast<std::size_t>(threads), task);
}

void ProductTotals::round(Format out, void* to) const {
    const FloatingPointScope scope;
    for (std::size_t j = 0; j < products_.size(); ++j)
        store_bits(to, j, products_[j].rounded({Finalize::itself, out, 1}), size_of(out));
}

std::string ProductTotals::encoded(bool is_brief) const {
    std::string bytes;
    for (const Product& each : products_) each.encode(is_brief, bytes);
    return bytes;
}

bool ProductTotals::decode(const char* from, std::size_t n, bool is_brief) {
    const char* const end = from + n;
    const auto read = [&](Product& each) { return Product::decode(from, end, is_brief, each); };
    return std::all_of(products_.begin(), products_.end(), read) && from == end;
}

}  // namespace samesum
