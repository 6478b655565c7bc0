// Softmax and its logarithm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/normalize.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
constexpr void fill(NormalizationMethods& m) {
    m.line[static_cast<std::size_t>(F::format)][0] = softmax<F>;
    m.line[static_cast<std::size_t>(F::format)][1] = log_softmax<F>;
}

constexpr NormalizationMethods all_normalizations() {
    NormalizationMethods m{};
    fill<Float16>(m);
    fill<Bfloat16>(m);
    fill<Float32>(m);
    fill<Float64>(m);
    return m;
}

extern const NormalizationMethods normalizations;
const NormalizationMethods normalizations = all_normalizations();

}  // namespace samesum::SAMESUM_ISA
