// Memory for the states of all places, in huge pages if it is large.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "memory/blocks.hpp"
#include "run/room.hpp"

namespace samesum {

class PlacedRoom {
  public:
    explicit PlacedRoom(std::size_t bytes) : block_(bytes < least_block ? nullptr : take_block(bytes)) {
        if (block_ == nullptr) room_.emplace(bytes);
    }
    ~PlacedRoom() {
        if (block_ != nullptr) give_block(block_);
    }
    PlacedRoom(PlacedRoom&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)), room_(std::move(other.room_)) {}
    PlacedRoom(const PlacedRoom&) = delete;
    PlacedRoom& operator=(const PlacedRoom&) = delete;

    // The first n states, made anew.
    template <class State>
    State* make(std::size_t n) {
        State* const states = static_cast<State*>(block_ != nullptr ? block_ : room_->get());
        std::uninitialized_value_construct_n(states, n);
        return states;
    }

  private:
    void* block_;
    std::optional<Room> room_;
};

}  // namespace samesum
