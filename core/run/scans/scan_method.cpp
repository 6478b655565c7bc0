#include "run/scans/scan_method.hpp"

#include <bit>

#include "exact/totals/wide_scan.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

const ScanMethod& scan_method(Combine combine, Format in, Format out) {
    const bool sum = combine == Combine::sum;
    const ScanMethods& scans = *current_instruction_set().scans;
    const ProductMethods& products = *current_instruction_set().products;
    if (is_float(in)) {
        const std::size_t from = static_cast<std::size_t>(in), to = static_cast<std::size_t>(out);
        return (sum ? scans.real : products.scan_real)[from][to];
    }
    if (is_float(out)) return sum ? wide_scan_method(in) : deferred_scan_method();
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    return (sum ? scans.modular : products.scan_modular)[index][std::countr_zero(size_of(out))];
}

}  // namespace samesum
