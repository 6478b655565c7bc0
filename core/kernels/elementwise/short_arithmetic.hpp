// Arithmetic of float16 and bfloat16 in float32.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/elementwise_method.hpp"

namespace samesum::SAMESUM_ISA {

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

}  // namespace samesum::SAMESUM_ISA
