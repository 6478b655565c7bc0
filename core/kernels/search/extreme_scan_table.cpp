// Cumulative minima and maxima: the methods of one instruction set, compiled as table.cpp is.
#include <utility>

#include "kernels/search/extreme_scan.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t... format>
static constexpr ExtremeScanMethods all_extreme_scans(std::index_sequence<format...>) {
    return {{{ExtremeScan<static_cast<Format>(format), false>::method(),
              ExtremeScan<static_cast<Format>(format), true>::method()}...}};
}

extern const ExtremeScanMethods extreme_scans;
const ExtremeScanMethods extreme_scans = all_extreme_scans(std::make_index_sequence<format_count>{});

}  // namespace samesum::SAMESUM_ISA
