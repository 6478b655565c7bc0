// Functions of each element: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/elementwise/elementwise_functions.hpp"
#include "kernels/elementwise/elementwise_power.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Arithmetic of float16 and bfloat16 in float32.

// Two roundings are one, as float32 has more than twice their bits. (Lemma 92)
template <class F, Arithmetic operation>
struct ShortArithmetic {
    static SAMESUM_INLINE Words of(Floats x, Floats y) {
        const Floats z = operation == Arithmetic::add        ? x + y
                         : operation == Arithmetic::subtract ? x - y
                         : operation == Arithmetic::multiply ? x * y
                                                             : x / y;
        const Words number = reinterpret_cast<Words>(z == z);
        return (Rounding<F::format>::of_float(z) & number) |
               (~number & static_cast<std::uint32_t>(canonical_nan(F::format)));
    }

    static void run(const char* x, std::size_t x_step, const char* y, std::size_t y_step, std::size_t n,
                    void* out) {
        using Round = Rounding<F::format>;
        std::size_t j = 0;
        for (; j + width <= n; j += width)
            Round::store_to(out, j,
                            of(F::floats(x + j * x_step * F::size), F::floats(y + j * y_step * F::size)));
        if (j == n) return;
        char last[width * F::size];
        Round::store_to(last, 0,
                        of(first_floats<F>(x + j * x_step * F::size, n - j),
                           first_floats<F>(y + j * y_step * F::size, n - j)));
        __builtin_memcpy(static_cast<char*>(out) + j * F::size, last, (n - j) * F::size);
    }
};

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
    row[0] = ShortArithmetic<Float16, operation>::run;
    row[1] = ShortArithmetic<Bfloat16, operation>::run;
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
    return m;
}

extern const ElementwiseMethods elementwise;
const ElementwiseMethods elementwise = all_elementwise();

}  // namespace samesum::SAMESUM_ISA
