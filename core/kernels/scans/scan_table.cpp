// Prefix sums: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/integers/modular_scan.hpp"
#include "kernels/scans/scan.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Writes whole vectors of the numbers of `F` as those of `Wide`.
template <class F, class Wide>
void widen_run(const char* p, std::size_t n, char* to) {
    for (std::size_t i = 0; i < n; i += width) {
        if constexpr (Wide::format == Format::f64)
            store(to + i * Wide::size, first_doubles<F>(p + i * F::size, n - i));
        else
            store(to + i * Wide::size, first_floats<F>(p + i * F::size, n - i));
    }
}

constexpr ScanMethods all_scans() {
    ScanMethods m{};
    fill_scans<FloatScan>(m.real);
    m.widen[0][0] = widen_run<Float16, Float32>;
    m.widen[1][0] = widen_run<Bfloat16, Float32>;
    m.widen[0][1] = widen_run<Float16, Float64>;
    m.widen[1][1] = widen_run<Bfloat16, Float64>;
    m.widen[2][1] = widen_run<Float32, Float64>;
    fill_all_modular_scans(m.modular);
    return m;
}

extern const ScanMethods scans;
const ScanMethods scans = all_scans();

}  // namespace samesum::SAMESUM_ISA
