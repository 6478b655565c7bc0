// Dot products: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/dots/dots.hpp"
#include "kernels/dots/integer_dots.hpp"

namespace samesum::SAMESUM_ISA {

extern const DotMethods dots;
const DotMethods dots{
    {Dots<Float16>::method(), Dots<Bfloat16>::method(), Dots<Float32>::method(), Dots<Float64>::method()},
    {IntegerDots<std::uint8_t>::method(), IntegerDots<std::uint16_t>::method(),
     IntegerDots<std::uint32_t>::method(), IntegerDots<std::uint64_t>::method()},
    {Dots<Float16>::total, Dots<Bfloat16>::total, Dots<Float32>::total, Dots<Float64>::total}};

}  // namespace samesum::SAMESUM_ISA
