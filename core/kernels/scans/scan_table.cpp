// Prefix sums: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_scan.hpp"
#include "kernels/scans/scan.hpp"
#include "kernels/scans/widened_scan.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

constexpr ScanMethods all_scans() {
    ScanMethods m{};
    fill_scans<FloatScan>(m.real);
    fill_all_modular_scans(m.modular);
    return m;
}

extern const ScanMethods scans;
const ScanMethods scans = all_scans();

}  // namespace samesum::SAMESUM_ISA
