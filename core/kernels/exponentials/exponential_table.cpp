// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/exponentials/exponential_sum.hpp"
#include "kernels/exponentials/integer_exponentials.hpp"
#include "methods/tables.hpp"

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
    m.whole[0] = IntegerExponentials<std::int8_t>::method();
    m.whole[1] = IntegerExponentials<std::int16_t>::method();
    m.whole[2] = IntegerExponentials<std::int32_t>::method();
    m.whole[3] = IntegerExponentials<std::int64_t>::method();
    m.whole[4] = IntegerExponentials<std::uint8_t>::method();
    m.whole[5] = IntegerExponentials<std::uint16_t>::method();
    m.whole[6] = IntegerExponentials<std::uint32_t>::method();
    m.whole[7] = IntegerExponentials<std::uint64_t>::method();
    return m;
}

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials = all_exponentials();

}  // namespace samesum::SAMESUM_ISA
