// Memory for tiles of states, which each thread keeps.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "methods/method.hpp"

namespace samesum {

// Results of one pass over the input, at most.
constexpr std::size_t most_results = 8;

// Memory for a tile of each of some results, from a stack that each thread keeps.
class TileScope {
  public:
    explicit TileScope(std::size_t count = 1);
    ~TileScope();
    TileScope(const TileScope&) = delete;
    TileScope& operator=(const TileScope&) = delete;
    void* tile(std::size_t i = 0) const;

  private:
    struct Block;
    struct Idle;
    static Idle& idle();

    const std::size_t count_;
    std::array<std::unique_ptr<Block>, most_results> tiles_;
};

// Memory for the time of a task.

// Bytes at an address that suits every vector.
class Scratch {
  public:
    explicit Scratch(std::size_t bytes)
        : bytes_(static_cast<char*>(::operator new(bytes, std::align_val_t{64}))) {}
    ~Scratch() { ::operator delete(bytes_, std::align_val_t{64}); }
    Scratch(Scratch&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    char* get() const { return bytes_; }

  private:
    char* bytes_;
};

}  // namespace samesum
