// Exact totals of blocks: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/blocks/exact_block.hpp"

namespace samesum::SAMESUM_ISA {

extern const ExactBlocks exact_blocks;
const ExactBlocks exact_blocks{
    {{exact_total<Float16, Map::itself>, exact_total<Float16, Map::magnitude>, exact_squares<Float16>},
     {exact_total<Bfloat16, Map::itself>, exact_total<Bfloat16, Map::magnitude>, exact_squares<Bfloat16>},
     {exact_total<Float32, Map::itself>, exact_total<Float32, Map::magnitude>, exact_squares<Float32>},
     {exact_total<Float64, Map::itself>, exact_total<Float64, Map::magnitude>, exact_double_squares}},
    {split_about<Float16>, split_about<Bfloat16>, split_about<Float32>}};

}  // namespace samesum::SAMESUM_ISA
