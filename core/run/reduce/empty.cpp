#include "arithmetic/rounding.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

std::uint64_t worst(bool maximum, Format format) {
    const bool has_sign = is_float(format) || !is_unsigned(format);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * size_of(format)),
                        sign = has_sign ? sign_bit(format) : 0;
    if (is_float(format))
        return (has_infinity(format) ? infinity_bits(format) : traits_of(format).largest) |
               (maximum ? sign : 0);
    if (format == Format::boolean) return maximum ? 0 : 1;
    return maximum ? sign : ones & ~sign;
}

namespace {

std::uint64_t empty_sum(Finalize finalize, Format format) {
    if (finalize == Finalize::over_count) return canonical_nan(format);
    return finalize == Finalize::logarithm ? worst(true, format) : 0;
}

}  // namespace

void fill_empty(const Reduction& row, Format format, void* out, std::int64_t n) {
    std::uint64_t bits = 0;
    switch (row.combine) {
        case Combine::sum:
            bits = empty_sum(row.finalize, format);
            break;
        case Combine::minimum:
        case Combine::maximum:
            bits = worst(row.combine == Combine::maximum, format);
            break;
        case Combine::product:
        case Combine::logical_and:
            bits = is_float(format) ? round_bits(1, format) : 1;
            break;
        case Combine::spread:
            bits = canonical_nan(format);
            break;
        default:
            break;
    }
    for (std::int64_t i = 0; i < n; ++i) store_bits(out, static_cast<std::size_t>(i), bits, size_of(format));
}

}  // namespace samesum
