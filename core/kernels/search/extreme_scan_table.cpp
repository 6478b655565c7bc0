// Cumulative minima and maxima: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/search/extreme_scan.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t size>
constexpr void fill(ExtremeScanMethods& m, std::size_t width) {
    m.integers[width] = ExtremeScan<size, false>::method();
    m.floats[width][0] = ExtremeScan<size, true, false>::method();
    m.floats[width][1] = ExtremeScan<size, true, true>::method();
}

constexpr ExtremeScanMethods all_extreme_scans() {
    ExtremeScanMethods m{};
    fill<1>(m, 0);
    fill<2>(m, 1);
    fill<4>(m, 2);
    fill<8>(m, 3);
    return m;
}

extern const ExtremeScanMethods extreme_scans;
const ExtremeScanMethods extreme_scans = all_extreme_scans();

}  // namespace samesum::SAMESUM_ISA
