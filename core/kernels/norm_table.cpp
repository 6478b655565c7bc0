// Normalizations about a mean or by a norm: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/norm_lines.hpp"

namespace samesum::SAMESUM_ISA {

extern const NormMethods norms;
const NormMethods norms{{NormLines<Float16>::measure, NormLines<Bfloat16>::measure,
                         NormLines<Float32>::measure, NormLines<Float64>::measure},
                        {NormLines<Float16>::finish, NormLines<Bfloat16>::finish, NormLines<Float32>::finish,
                         NormLines<Float64>::finish}};

}  // namespace samesum::SAMESUM_ISA
