// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/method.hpp"

namespace samesum::SAMESUM_ISA {

constexpr ExponentialMethods all_exponentials() {
    ExponentialMethods m{};
    return m;
}

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials = all_exponentials();

}  // namespace samesum::SAMESUM_ISA
