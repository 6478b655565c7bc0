// Exact sums of blocks that are kept: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/kept_block.hpp"

namespace samesum::SAMESUM_ISA {

extern const KeptBlocks kept_blocks;
const KeptBlocks kept_blocks{
    {{KeptSum<Float16, Map::itself>::block(), KeptSum<Float16, Map::magnitude>::block(),
      KeptSum<Float16, Map::square>::block()},
     {KeptSum<Bfloat16, Map::itself>::block(), KeptSum<Bfloat16, Map::magnitude>::block(),
      KeptSum<Bfloat16, Map::square>::block()},
     {KeptSum<Float32, Map::itself>::block(), KeptSum<Float32, Map::magnitude>::block(),
      KeptSum<Float32, Map::square>::block()},
     {KeptSum<Float64, Map::itself>::block(), KeptSum<Float64, Map::magnitude>::block(),
      KeptSum<Float64, Map::square>::block()}}};

}  // namespace samesum::SAMESUM_ISA
