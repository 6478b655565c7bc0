// Untangling of short rows: for one instruction set, compiled as table.cpp is.
#include <utility>

#include "kernels/untangle.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, std::size_t... elements>
constexpr void fill(Untangle (&row)[untangled_elements + 1], std::index_sequence<elements...>) {
    ((row[elements + 2] = untangle<Bits, elements + 2>), ...);
}

constexpr UntangleMethods all_untangling() {
    UntangleMethods m{};
    constexpr auto lengths = std::make_index_sequence<untangled_elements - 1>{};
    fill<std::uint8_t>(m.of_size[0], lengths);
    fill<std::uint16_t>(m.of_size[1], lengths);
    fill<std::uint32_t>(m.of_size[2], lengths);
    fill<std::uint64_t>(m.of_size[3], lengths);
    return m;
}

extern const UntangleMethods untangling;
const UntangleMethods untangling = all_untangling();

}  // namespace samesum::SAMESUM_ISA
