// The figures of blocks: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/blocks/block_statistics.hpp"

namespace samesum::SAMESUM_ISA {

extern const StatisticsMethods statistics;
const StatisticsMethods statistics{{StatisticsOf<Float16>::of, StatisticsOf<Bfloat16>::of,
                                    StatisticsOf<Float32>::of, StatisticsOf<Float64>::of}};

}  // namespace samesum::SAMESUM_ISA
