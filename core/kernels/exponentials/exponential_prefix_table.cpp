// Single sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/exponentials/exponential_prefix.hpp"

namespace samesum::SAMESUM_ISA {

extern const ExponentialPrefixMethods exponential_prefixes;
const ExponentialPrefixMethods exponential_prefixes{
    {ExponentialPrefixes<Float16>::add, ExponentialPrefixes<Bfloat16>::add, ExponentialPrefixes<Float32>::add,
     ExponentialPrefixes<Float64>::add},
    {ExponentialPrefixes<Float16>::greatest, ExponentialPrefixes<Bfloat16>::greatest,
     ExponentialPrefixes<Float32>::greatest, ExponentialPrefixes<Float64>::greatest},
    finish_prefix};

}  // namespace samesum::SAMESUM_ISA
