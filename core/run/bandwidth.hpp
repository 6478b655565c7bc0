// How fast this machine's memory is with the pool's own threads.
#pragma once

#include <cstddef>

namespace samesum {

double read_seconds(const char* data, std::size_t bytes);
double copy_seconds(const char* from, char* to, std::size_t bytes);

}  // namespace samesum
