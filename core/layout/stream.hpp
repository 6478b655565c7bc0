// Writing what will not be read again soon.
#pragma once

#include <cstddef>
#include <cstdint>

#include "select/layout_thresholds.hpp"

namespace samesum {

// Copies past the caches, a cache line at a time where it can: lines that are written whole are not read
// first. Other threads see it after `finish_streams`.
void stream(char* to, const char* from, std::size_t bytes);
void finish_streams();

}  // namespace samesum
