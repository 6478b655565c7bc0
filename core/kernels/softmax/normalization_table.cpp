// Softmax and its logarithm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/softmax/line_columns.hpp"
#include "kernels/softmax/line_rows.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class A, bool log>
constexpr void fill(NormalizationMethods& m) {
    constexpr auto f = static_cast<std::size_t>(A::format);
    m.lines[f][log] = Rows<A>::template run<log>;
    m.share[f][log] = Blocks<A>::template share<log>;
    m.joined[f][log] = Blocks<A>::template joined<log>;
    m.quotients[f][log] = Blocks<A>::template quotients<log>;
    m.columns[f][log] = Columns<A>::template columns<log>;
    m.fill_rows[f][log] = Rows<A>::template fill_rows<log>;
}

template <class... A>
constexpr NormalizationMethods normalizations_of() {
    NormalizationMethods m{};
    (fill<A, false>(m), ...);
    (fill<A, true>(m), ...);
    return m;
}

extern const NormalizationMethods normalizations;
const NormalizationMethods normalizations =
    normalizations_of<SingleLines<Float16>, SingleLines<Bfloat16>, SingleLines<Float32>, DoubleLines>();

}  // namespace samesum::SAMESUM_ISA
