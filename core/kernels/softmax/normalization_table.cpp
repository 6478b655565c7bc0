// Softmax and its logarithm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/softmax/line_columns.hpp"
#include "kernels/softmax/line_rows.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class A>
constexpr void fill(NormalizationMethods& m) {
    constexpr auto f = static_cast<std::size_t>(A::format);
    m.lines[f][0] = Rows<A>::template run<false>;
    m.lines[f][1] = Rows<A>::template run<true>;
    m.share[f] = Blocks<A>::share;
    m.joined[f] = Blocks<A>::joined;
    m.is_near[f][0] = Blocks<A>::template is_near<false>;
    m.is_near[f][1] = Blocks<A>::template is_near<true>;
    m.share_below[f] = Blocks<A>::share_below;
    m.quotients[f][0] = Blocks<A>::template quotients<false>;
    m.quotients[f][1] = Blocks<A>::template quotients<true>;
    m.columns[f][0] = Columns<A>::template columns<false>;
    m.columns[f][1] = Columns<A>::template columns<true>;
    m.fill_rows[f][0] = Rows<A>::template fill_rows<false>;
    m.fill_rows[f][1] = Rows<A>::template fill_rows<true>;
}

constexpr NormalizationMethods all_normalizations() {
    NormalizationMethods m{};
    fill<SingleLines<Float16>>(m);
    fill<SingleLines<Bfloat16>>(m);
    fill<SingleLines<Float32>>(m);
    fill<DoubleLines>(m);
    return m;
}

extern const NormalizationMethods normalizations;
const NormalizationMethods normalizations = all_normalizations();

}  // namespace samesum::SAMESUM_ISA
