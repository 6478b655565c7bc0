// Cumulative minima and maxima: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/search/extreme_scan.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t... i>
constexpr ExtremeScanMethods all_extreme_scans(std::index_sequence<i...>) {
    return {{{ExtremeScanOf<static_cast<Format>(i), false>::method(),
              ExtremeScanOf<static_cast<Format>(i), true>::method()}...}};
}

extern const ExtremeScanMethods extreme_scans;
const ExtremeScanMethods extreme_scans = all_extreme_scans(std::make_index_sequence<format_count>{});

}  // namespace samesum::SAMESUM_ISA
