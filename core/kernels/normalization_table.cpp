// Softmax and its logarithm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/double_line.hpp"
#include "kernels/narrow_columns.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
constexpr void fill_narrow(NormalizationMethods& m) {
    constexpr auto f = static_cast<std::size_t>(F::format);
    using Line = NarrowLine<F>;
    using Columns = NarrowColumns<F>;
    m.line[f][0] = Line::template line<false>;
    m.line[f][1] = Line::template line<true>;
    m.greatest[f] = Line::greatest;
    m.share[f][0] = Line::template share<false>;
    m.share[f][1] = Line::template share<true>;
    m.quotients[f][0] = Line::template quotients<false>;
    m.quotients[f][1] = Line::template quotients<true>;
    m.columns[f][0] = Columns::template columns<false>;
    m.columns[f][1] = Columns::template columns<true>;
}

constexpr NormalizationMethods all_normalizations() {
    NormalizationMethods m{};
    fill_narrow<Float16>(m);
    fill_narrow<Bfloat16>(m);
    fill_narrow<Float32>(m);
    m.line[static_cast<std::size_t>(Format::f64)][0] = softmax;
    m.line[static_cast<std::size_t>(Format::f64)][1] = log_softmax;
    return m;
}

extern const NormalizationMethods normalizations;
const NormalizationMethods normalizations = all_normalizations();

}  // namespace samesum::SAMESUM_ISA
