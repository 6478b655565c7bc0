// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/exponential_sum.hpp"

namespace samesum::SAMESUM_ISA {

constexpr ExponentialMethods all_exponentials() {
    ExponentialMethods m{};
    m.sum1[0] = ExponentialSum<Float16, false>::method();
    m.sum1[1] = ExponentialSum<Bfloat16, false>::method();
    m.sum1[2] = ExponentialSum<Float32, false>::method();
    m.sum2[0] = ExponentialSum<Float16, true>::method();
    m.sum2[1] = ExponentialSum<Bfloat16, true>::method();
    m.sum2[2] = ExponentialSum<Float32, true>::method();
    m.sum2[3] = ExponentialSum<Float64, true>::method();
    return m;
}

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials = all_exponentials();

}  // namespace samesum::SAMESUM_ISA
