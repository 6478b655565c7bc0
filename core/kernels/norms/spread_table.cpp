// Variances: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norms/spread.hpp"
#include "methods/norm_method.hpp"

namespace samesum::SAMESUM_ISA {

static void read(const void* tile, const Table& to) {
    const SpreadTile& t = *static_cast<const SpreadTile*>(tile);
    for (std::size_t j = 0; j < to.n; ++j) {
        const Words2 spread = spread_of(t.lone(j), Doubles{} + t.count[j]);
        to.row(0)[j] = spread.hi[0];
        to.row(1)[j] = spread.lo[0];
        to.row(2)[j] = spread.bound[0];
    }
}

extern const SpreadMethods spreads;
const SpreadMethods spreads{
    {Spread<Float16, NarrowSpread>::method(), Spread<Bfloat16, NarrowSpread>::method(),
     Spread<Float32, NarrowSpread>::method()},
    Spread<Float64, WideSpread>::method(),
    Spread<Float64, FewSpread>::method(),
    {3, read}};

}  // namespace samesum::SAMESUM_ISA
