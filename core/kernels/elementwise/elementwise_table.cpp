// Functions of each element: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/elementwise/element_arithmetic.hpp"
#include "kernels/elementwise/elementwise_functions.hpp"
#include "kernels/elementwise/elementwise_power.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Function>
constexpr void fill(ElementwiseMethods& m, Unary function) {
    auto& row = m.unary[static_cast<std::size_t>(function)];
    row[0] = NarrowElements<Function, Float16>::run;
    row[1] = NarrowElements<Function, Bfloat16>::run;
    row[2] = NarrowElements<Function, Float32>::run;
    row[3] = DoubleElements<Function>::run;
}

template <class F>
constexpr void fill_powers(ElementwiseMethods& m) {
    m.power[static_cast<std::size_t>(F::format)] = PowerLoops<F>::run;
    m.power_of_one[static_cast<std::size_t>(F::format)] = PowerLoops<F>::run_of_one;
    m.widen[static_cast<std::size_t>(F::format)] = widen_elements<F>;
}

template <Arithmetic operation>
constexpr void fill_arithmetic(ElementwiseMethods& m) {
    auto& row = m.arithmetic[static_cast<std::size_t>(operation)];
    row[0] = ElementArithmetic<Float16, operation>::run;
    row[1] = ElementArithmetic<Bfloat16, operation>::run;
    row[2] = ElementArithmetic<Float32, operation>::run;
}

constexpr ElementwiseMethods all_elementwise() {
    ElementwiseMethods m{};
    fill<ExponentialFunction>(m, Unary::exponential);
    fill<LogarithmFunction>(m, Unary::logarithm);
    fill_powers<Float16>(m);
    fill_powers<Bfloat16>(m);
    fill_powers<Float32>(m);
    fill_powers<Float64>(m);
    fill_arithmetic<Arithmetic::add>(m);
    fill_arithmetic<Arithmetic::subtract>(m);
    fill_arithmetic<Arithmetic::multiply>(m);
    fill_arithmetic<Arithmetic::divide>(m);
    fill_arithmetic<Arithmetic::greatest>(m);
    fill_arithmetic<Arithmetic::least>(m);
    return m;
}

extern const ElementwiseMethods elementwise;
const ElementwiseMethods elementwise = all_elementwise();

}  // namespace samesum::SAMESUM_ISA
