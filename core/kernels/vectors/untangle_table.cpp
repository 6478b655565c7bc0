// Untangling of short rows: for one instruction set, compiled as table.cpp is.
#include <utility>

#include "kernels/vectors/untangle.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, std::size_t... elements>
constexpr void fill(UntangleMethods& m, std::size_t size, std::index_sequence<elements...>) {
    ((m.known[size][elements] = untangle<Bits, elements>), ...);
    ((m.known_back[size][elements] = tangle<Bits, elements>), ...);
    m.any[size] = untangle_any<Bits>;
    m.any_back[size] = tangle_any<Bits>;
}

constexpr UntangleMethods all_untangling() {
    UntangleMethods m{};
    using Few = std::index_sequence<2, 3, 4>;
    using Whole = std::index_sequence<2, 3, 4, 8, 16>;  // elements of which vectors hold several rows
    fill<std::uint8_t>(m, 0, Whole{});
    fill<std::uint16_t>(m, 1, Whole{});
    fill<std::uint32_t>(m, 2, Few{});
    fill<std::uint64_t>(m, 3, Few{});
    return m;
}

extern const UntangleMethods untangling;
const UntangleMethods untangling = all_untangling();

}  // namespace samesum::SAMESUM_ISA
