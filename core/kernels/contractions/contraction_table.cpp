// Products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/contractions/direct.hpp"
#include "kernels/contractions/few_terms.hpp"
#include "kernels/contractions/measures.hpp"
#include "kernels/contractions/panels.hpp"
#include "kernels/contractions/results.hpp"
#include "kernels/contractions/tiles.hpp"
#include "kernels/contractions/winograd.hpp"

namespace samesum::SAMESUM_ISA {

using FloatTile = RegisterTile<double, float>;

template <class Word>
static constexpr ContractionMethod words() {
    using Tile = RegisterTile<Word, Word>;
    return {tile_rows,
            Tile::columns,
            sizeof(Word),
            sizeof(Word),
            sizeof(Word),
            pack_integers<tile_rows, Word>,
            pack_integers<Tile::columns, Word>,
            Tile::multiply};
}

extern const ContractionMethods contractions;
const ContractionMethods contractions{
    {tile_rows, FloatTile::columns, sizeof(double), sizeof(float), sizeof(double),
     pack_floats<tile_rows, double>, pack_floats<FloatTile::columns, float>, FloatTile::multiply},
    words<std::uint32_t>(),
    words<std::uint64_t>(),
    {transform_taps, transform_floats, RegisterTile<double, double>::multiply, combine_points},
    add_squares<tile_rows, double>,
    add_squares<FloatTile::columns, float>,
    measure_panel<tile_rows, double>,
    measure_panel<FloatTile::columns, float>,
    bound_products,
    SecondTile::multiply,
    multiply_directly,
    finish_few_terms,
    widen_elements,
    gather_terms,
    finish_products};

}  // namespace samesum::SAMESUM_ISA
