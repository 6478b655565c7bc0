#include "run/tiles.hpp"

#include <utility>
#include <vector>

namespace samesum {

struct alignas(64) TileScope::Block {
    std::byte bytes[tile_bytes];
};

// There is room for every tile that the thread has made: giving one back allocates nothing.
struct TileScope::Idle {
    std::vector<std::unique_ptr<Block>> tiles;
    std::size_t made = 0;

    std::unique_ptr<Block> take() {
        if (tiles.empty()) {
            tiles.reserve(made + 1);
            ++made;
            return std::make_unique_for_overwrite<Block>();
        }
        std::unique_ptr<Block> tile = std::move(tiles.back());
        tiles.pop_back();
        return tile;
    }
    // One that was made by another thread is freed if there is no room for it.
    void put(std::unique_ptr<Block> tile) noexcept {
        if (tiles.size() < tiles.capacity()) tiles.push_back(std::move(tile));
    }
};

TileScope::Idle& TileScope::idle() {
    thread_local Idle idle;
    return idle;
}

TileScope::TileScope(std::size_t count) : count_(count) {
    Idle& here = idle();
    for (std::size_t i = 0; i < count; ++i) tiles_[i] = here.take();
}

TileScope::~TileScope() {
    Idle& here = idle();
    for (std::size_t i = 0; i < count_; ++i) here.put(std::move(tiles_[i]));
}

void* TileScope::tile(std::size_t i) const { return tiles_[i].get(); }

}  // namespace samesum
