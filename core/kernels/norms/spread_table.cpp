// Variances: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/spread.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

extern const SpreadMethods spreads;
const SpreadMethods spreads{
    {Spread<Float16, NarrowSpread>::method(), Spread<Bfloat16, NarrowSpread>::method(),
     Spread<Float32, NarrowSpread>::method()},
    Spread<Float64, WideSpread>::method(),
    Spread<Float64, FewSpread>::method()};

}  // namespace samesum::SAMESUM_ISA
