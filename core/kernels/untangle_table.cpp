// Untangling of short rows: for one instruction set, compiled as table.cpp is.
#include <utility>

#include "kernels/tables.hpp"
#include "kernels/untangle.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, std::size_t... elements>
constexpr void fill(UntangleMethods& m, std::size_t size, std::index_sequence<elements...>) {
    ((m.of_size[size][elements + 2] = untangle<Bits, elements + 2>), ...);
    ((m.back[size][elements + 2] = tangle<Bits, elements + 2>), ...);
}

constexpr UntangleMethods all_untangling() {
    UntangleMethods m{};
    constexpr auto lengths = std::make_index_sequence<untangled_elements - 1>{};
    fill<std::uint8_t>(m, 0, lengths);
    fill<std::uint16_t>(m, 1, lengths);
    fill<std::uint32_t>(m, 2, lengths);
    fill<std::uint64_t>(m, 3, lengths);
    return m;
}

extern const UntangleMethods untangling;
const UntangleMethods untangling = all_untangling();

}  // namespace samesum::SAMESUM_ISA
