// Prints the highest instruction set that this machine has.
#include <cstdio>

#include "kernels/processor.hpp"

int main() { std::puts(samesum::own_level().identifier); }
