// Normalizations about a mean or by a norm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/norm_lines.hpp"
#include "kernels/norms/norm_numbers.hpp"
#include "kernels/norms/spread.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

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
    Spread<Float64, WideSpread>::method(),
    Spread<Float64, FewSpread>::method()};

}  // namespace samesum::SAMESUM_ISA
