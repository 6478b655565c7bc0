// Normalizations about a mean or by a norm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/norm_lines.hpp"
#include "kernels/norms/norm_singles.hpp"
#include "kernels/norms/spread.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

// Scales and biases of normalizations as doubles, and how large they are.

struct NormNumbers {
    template <class F>
    static void widen(const char* p, std::size_t n, double* to) {
        const Doubles zero = {};
        std::size_t i = 0;
        for (; i + width <= n; i += width) store(to + i, F::doubles(p + i * F::size) + zero);
        if (i == n) return;
        const Doubles last = first_doubles<F>(p + i * F::size, n - i) + zero;
        std::memcpy(to + i, &last, (n - i) * sizeof(double));
    }

    template <class Integer>
    static void widen_integers(const char* p, std::size_t n, double* to) {
        for (std::size_t i = 0; i < n; ++i) to[i] = double_or_nan(load<Integer>(p + i * sizeof(Integer)));
    }

    static SAMESUM_INLINE Doubles in_range(Doubles x) {
        const Doubles zero = {}, size = samesum::SAMESUM_ISA::magnitude(x);
        const Longs fits = ((size > 0x1p-400) & (size < 0x1p400)) | (size == 0);
        return fits ? size : zero + __builtin_nan("");
    }

    static double greatest(const double* p, std::size_t n) {
        Doubles most = {}, flaw = {};
        for (std::size_t i = 0; i < n; i += width) {
            const Doubles size =
                in_range(first_doubles<Float64>(reinterpret_cast<const char*>(p + i), n - i));
            most = size > most ? size : most;
            flaw += size * 0;
        }
        double greatest = 0;
        for (std::size_t k = 0; k < width; ++k) greatest = most[k] > greatest ? most[k] : greatest;
        for (std::size_t k = 0; k < width; ++k) greatest += flaw[k];
        return greatest;
    }

    static bool narrow(const double* p, std::size_t n, float* to) {
        bool is_exact = true;
        for (std::size_t i = 0; i < n; ++i) {
            to[i] = static_cast<float>(p[i]);
            const double size = samesum::magnitude(p[i]);
            is_exact &= (static_cast<double>(to[i]) == p[i]) &
                        ((size == 0) | ((size >= least_single) & (size <= most_single)));
        }
        return is_exact;
    }
};

template <class F>
using Narrow = NormLines<F, NarrowSpread>;
template <class F, class Out = F>
using Wide = NormLines<F, WideSpread, Out>;

extern const NormMethods norms;
const NormMethods norms{
    {NormNumbers::widen<Float16>, NormNumbers::widen<Bfloat16>, NormNumbers::widen<Float32>,
     NormNumbers::widen<Float64>, NormNumbers::widen_integers<std::int8_t>,
     NormNumbers::widen_integers<std::int16_t>, NormNumbers::widen_integers<std::int32_t>,
     NormNumbers::widen_integers<std::int64_t>, NormNumbers::widen_integers<std::uint8_t>,
     NormNumbers::widen_integers<std::uint16_t>, NormNumbers::widen_integers<std::uint32_t>,
     NormNumbers::widen_integers<std::uint64_t>},
    NormNumbers::greatest,
    has_fused ? NormNumbers::narrow : nullptr,
    {Narrow<Float16>::measure, Narrow<Bfloat16>::measure, Narrow<Float32>::measure, Wide<Float64>::measure},
    {Narrow<Float16>::finish, Narrow<Bfloat16>::finish, Narrow<Float32>::finish, Wide<Float64>::finish},
    has_fused ? Narrow<Float32>::finish_any : nullptr,
    Wide<Float64>::measure_widened,
    {Wide<Float64, Float16>::finish, Wide<Float64, Bfloat16>::finish, Wide<Float64, Float32>::finish}};

// Variances.
extern const SpreadMethods spreads;
const SpreadMethods spreads{
    {Spread<Float16, NarrowSpread>::method(), Spread<Bfloat16, NarrowSpread>::method(),
     Spread<Float32, NarrowSpread>::method()},
    Spread<Float64, WideSpread>::method()};

}  // namespace samesum::SAMESUM_ISA
