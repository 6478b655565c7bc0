// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/exponentials/exponential_prefix.hpp"
#include "kernels/exponentials/exponential_sum.hpp"
#include "kernels/exponentials/integer_exponentials.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials{
    {ExponentialSum<Float16>::method(), ExponentialSum<Bfloat16>::method(),
     ExponentialSum<Float32>::method()},
    ExponentialSum<Float64>::method(),
    {IntegerExponentials<std::int8_t>::method(), IntegerExponentials<std::int16_t>::method(),
     IntegerExponentials<std::int32_t>::method(), IntegerExponentials<std::int64_t>::method(),
     IntegerExponentials<std::uint8_t>::method(), IntegerExponentials<std::uint16_t>::method(),
     IntegerExponentials<std::uint32_t>::method(), IntegerExponentials<std::uint64_t>::method()},
    ExponentialPrefixes::methods()};

}  // namespace samesum::SAMESUM_ISA
