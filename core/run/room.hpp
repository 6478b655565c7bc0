// Memory for the time of a task.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace samesum {

// Bytes at an address that suits every vector.
class Room {
  public:
    explicit Room(std::size_t bytes)
        : bytes_(static_cast<char*>(::operator new(bytes, std::align_val_t{64}))) {}
    ~Room() { ::operator delete(bytes_, std::align_val_t{64}); }
    Room(Room&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    char* get() const { return bytes_; }

  private:
    char* bytes_;
};

}  // namespace samesum
