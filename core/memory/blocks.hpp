// Memory of large results. What is given back is kept for a moment for the next ones: the system clears new
// pages, which takes as long as many a reduction.
#pragma once

#include <cstddef>

namespace samesum {

// Results of fewer bytes are left to the allocator of the system, which keeps them itself.
constexpr std::size_t least_block = std::size_t{4} << 20;

// Returns a block of at least so many bytes, or null.
void* take_block(std::size_t bytes) noexcept;
void give_block(void* block) noexcept;
// Returns a block with the same contents as far as both reach, or null where there is no memory: the old
// block then stays as it is.
void* resize_block(void* block, std::size_t bytes) noexcept;

// At most so many bytes are kept, none of them for longer than a second.
void set_cache_limit(std::size_t bytes);
std::size_t cache_limit();
std::size_t cached_bytes();

}  // namespace samesum
