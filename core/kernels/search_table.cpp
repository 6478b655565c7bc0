// Positions of extremes, all and any: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/method.hpp"

namespace samesum::SAMESUM_ISA {

constexpr SearchMethods all_searches() {
    SearchMethods m{};
    return m;
}

extern const SearchMethods searches;
const SearchMethods searches = all_searches();

}  // namespace samesum::SAMESUM_ISA
