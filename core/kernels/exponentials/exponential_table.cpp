// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/exponentials/exponential_prefix.hpp"
#include "kernels/exponentials/exponential_sum.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials{{ExponentialSum<Float16>::method(), ExponentialSum<Bfloat16>::method(),
                                       ExponentialSum<Float32>::method()},
                                      ExponentialSum<Float64>::method(),
                                      ExponentialPrefixes::methods()};

}  // namespace samesum::SAMESUM_ISA
