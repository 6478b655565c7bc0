// Elements chosen by a mask: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/masks/codes.hpp"
#include "kernels/masks/counts.hpp"
#include "kernels/masks/mask.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
constexpr void add(MaskMethods& m, std::size_t size) {
    m.fill[size] = Masked<Bits>::fill;
    m.fill_each[size] = Masked<Bits>::fill_each;
    m.pick[size] = Masked<Bits>::pick;
    m.those_of[size] = Coded<Bits>::those_of;
}

constexpr MaskMethods all_masking() {
    MaskMethods m{};
    add<std::uint8_t>(m, 0);
    add<std::uint16_t>(m, 1);
    add<std::uint32_t>(m, 2);
    add<std::uint64_t>(m, 3);
    m.count = count_chosen;
    m.count_columns = count_chosen_of_columns;
    return m;
}

extern const MaskMethods masking;
const MaskMethods masking = all_masking();

}  // namespace samesum::SAMESUM_ISA
