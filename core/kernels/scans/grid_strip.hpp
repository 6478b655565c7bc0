// What prefix sums of a strip of columns on a grid (kernels/blocks/grid.hpp) share.
#pragma once

#include "kernels/blocks/grid.hpp"
#include "kernels/scans/prefixes.hpp"

namespace samesum::SAMESUM_ISA {

// A grid that holds nothing: the first elements choose another. No grid that is chosen has so small a shift.
constexpr double no_grid = 0x1p-1000;

// The shift for sums of this size; zero if there is no grid for them.
inline Doubles shift_for(double size) { return Doubles{} + (size < grid_limit ? Grid::over(size).shift : 0); }

inline double greatest_of(Doubles v) {
    double most = 0;
    for (std::size_t k = 0; k < width; ++k) most = v[k] > most || v[k] != v[k] ? v[k] : most;
    return most;
}

// How the sums of a strip of columns of a narrow format go on.
enum class GridMode : std::uint8_t { unknown, exponents, parts, double_words };

// Where the states of a tile's columns are kept; the bytes are those of the first one of a strip.
struct SumTile {
    double field[5][tile_pitch];
    GridMode mode[tile_pitch];
    std::uint8_t strips[tile_pitch];
};

// What became of some rows: all prefixes are certain, or some are not, or they are on no grid.
enum class Outcome { certain, doubtful, off_grid };

}  // namespace samesum::SAMESUM_ISA
