// Further functions of each element: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/elementwise/circular_functions.hpp"
#include "kernels/elementwise/error_functions.hpp"
#include "kernels/elementwise/smooth_functions.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Function>
constexpr void fill(SmoothMethods& m, Unary function) {
    auto& row = m.unary[static_cast<std::size_t>(function) - first_smooth];
    row[0] = NarrowElements<Function, Float16>::run;
    row[1] = NarrowElements<Function, Bfloat16>::run;
    row[2] = NarrowElements<Function, Float32>::run;
    row[3] = DoubleElements<Function>::run;
}

constexpr SmoothMethods all_smooth() {
    SmoothMethods m{};
    fill<SigmoidFunction>(m, Unary::sigmoid);
    fill<TanhFunction>(m, Unary::tanh);
    fill<ErfFunction>(m, Unary::erf);
    fill<GeluFunction>(m, Unary::gelu);
    fill<GeluTanhFunction>(m, Unary::gelu_tanh);
    fill<SoftplusFunction>(m, Unary::softplus);
    fill<CircularFunction<0>>(m, Unary::sine);
    fill<CircularFunction<1>>(m, Unary::cosine);
    return m;
}

extern const SmoothMethods smooth;
const SmoothMethods smooth = all_smooth();

}  // namespace samesum::SAMESUM_ISA
