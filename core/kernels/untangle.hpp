// Short rows that lie side by side become columns, and columns become such rows.
#pragma once

#include <cstdint>

#include "kernels/method.hpp"

namespace samesum::SAMESUM_ISA {

// With these numbers known, compilers make shuffles of whole vectors out of this.
template <class Bits, std::size_t elements>
void untangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[i * untangled_pitch + j] = in[j * elements + i];
    }
}

template <class Bits, std::size_t elements>
void tangle(const void* __restrict from, std::size_t rows, void* __restrict to) {
    const Bits* in = static_cast<const Bits*>(from);
    Bits* out = static_cast<Bits*>(to);
    for (std::size_t j = 0; j < rows; ++j) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < elements; ++i) out[j * elements + i] = in[i * untangled_pitch + j];
    }
}

}  // namespace samesum::SAMESUM_ISA
