// How fast this machine's memory is with the pool's own threads.
#pragma once

#include <cstddef>

namespace samesum {

double read_seconds(const char* data, std::size_t bytes);

// Reads all of `from` and writes all of `to`, which may differ in size, evenly mixed; `streams` writes past
// the caches.
double copy_seconds(const char* from, std::size_t bytes, char* to, std::size_t written, bool streams);

}  // namespace samesum
