// What is known of rows and columns, and what follows for the sums of their products. (Lemma 87)
#pragma once

#include "kernels/vectors/rounding.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

// The last bit that is set, of zero infinity.
SAMESUM_INLINE double last_bit(double x) {
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
    const double without = (bits & fraction) != 0 ? __builtin_bit_cast(double, bits&(bits - 1)) : 0;
    return x == 0 ? infinity : samesum::magnitude(x - without);
}

// Of a panel of `panel` numbers a term, apart for each row or column.
template <std::size_t panel, class Number>
void measure_panel(const void* numbers, std::size_t terms, const ContractionMeasures& to) {
    const Number* p = static_cast<const Number*>(numbers);
    double sizes[panel], greatest[panel], last[panel];
    for (std::size_t r = 0; r < panel; ++r)
        sizes[r] = to.sizes[r], greatest[r] = to.greatest[r], last[r] = to.last[r];
    for (std::size_t k = 0; k < terms; ++k, p += panel) {
        for (std::size_t r = 0; r < panel; ++r) {
            const double x = static_cast<double>(p[r]), size = samesum::magnitude(x), bit = last_bit(x);
            sizes[r] += size;
            greatest[r] = size > greatest[r] ? size : greatest[r];
            last[r] = bit < last[r] ? bit : last[r];
        }
    }
    for (std::size_t r = 0; r < panel; ++r)
        to.sizes[r] = sizes[r], to.greatest[r] = greatest[r], to.last[r] = last[r];
}

// At most so much the magnitudes of the products of one row with each of n columns add up to, and what the
// sums are off by, times `factor`: nothing where all of them are multiples of a bit that is great enough.
inline void bound_products(const ContractionMeasures& row, const ContractionMeasures& columns, std::size_t n,
                           double factor, double* sizes, double* bounds) {
    const double norm = *row.norms, size = *row.sizes, greatest = *row.greatest, last = *row.last * 0x1p53;
    for (std::size_t j = 0; j < n; ++j) {
        const double by_norms = norm * columns.norms[j], by_row = size * columns.greatest[j],
                     by_column = greatest * columns.sizes[j];
        const double least = by_row < by_column ? by_row : by_column;
        sizes[j] = (least < by_norms ? least : by_norms) * bound_slack;
        bounds[j] = last * columns.last[j] > sizes[j] ? 0 : sizes[j] * factor;
    }
}

}  // namespace samesum::SAMESUM_ISA
