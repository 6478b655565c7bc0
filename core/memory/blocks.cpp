#include "memory/blocks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace samesum {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t page = std::size_t{2} << 20;  // a huge one
constexpr auto kept_for = std::chrono::seconds(1);

void release(void* p) { ::operator delete(p, std::align_val_t{page}); }

void* fresh(std::size_t bytes) noexcept {
    void* const p = ::operator new(bytes, std::align_val_t{page}, std::nothrow);
#if defined(__linux__)
    if (p != nullptr) madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

class Blocks {
  public:
    void* take(std::size_t bytes) {
        if (bytes > std::size_t{0} - page) return nullptr;
        const std::size_t size = (bytes + page - 1) / page * page;
        Kept taken = kept_of(size);
        if (taken.block == nullptr) taken = {fresh(size), size, {}};
        if (taken.block == nullptr && release_all()) taken.block = fresh(size);
        if (taken.block == nullptr) return nullptr;
        try {
            const std::lock_guard lock(mutex_);
            live_.emplace(taken.block, taken.size);
        } catch (...) {
            release(taken.block);
            throw;
        }
        return taken.block;
    }

    void give(void* block) {
        const std::lock_guard lock(mutex_);
        const auto found = live_.find(block);
        const std::size_t size = found->second;
        live_.erase(found);
        if (size > limit_ || !keep(block, size)) return release(block);
        shrink(limit_);
    }

    std::size_t size_of(void* block) {
        const std::lock_guard lock(mutex_);
        return live_.at(block);
    }

    void set_limit(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        limit_ = bytes;
        shrink(limit_);
    }
    std::size_t limit() {
        const std::lock_guard lock(mutex_);
        return limit_;
    }
    std::size_t kept() {
        const std::lock_guard lock(mutex_);
        return cached_bytes_;
    }

    // Around a fork: the child has no keeper, and pages that both keep would be copied as one writes to them.
    void before_fork() { mutex_.lock(); }
    void after_fork() { mutex_.unlock(); }
    void after_fork_in_child() {
        is_watched_ = false;
        shrink(0);
        mutex_.unlock();
    }

  private:
    struct Kept {
        void* block;
        std::size_t size;
        Clock::time_point since;
    };

    // The smallest of at least `size` bytes that wastes no more than a quarter, if there is one.
    Kept kept_of(std::size_t size) {
        const std::lock_guard lock(mutex_);
        auto best = kept_.end();
        for (auto it = kept_.begin(); it != kept_.end(); ++it) {
            const bool fits = it->size >= size && it->size - size <= size / 4;
            if (fits && (best == kept_.end() || it->size <= best->size)) best = it;
        }
        if (best == kept_.end()) return {nullptr, 0, {}};
        const Kept found = *best;
        kept_.erase(best);
        cached_bytes_ -= found.size;
        return found;
    }

    // Whether it is kept: someone has to watch it.
    bool keep(void* block, std::size_t size) {
        try {
            kept_.push_back({block, size, Clock::now()});
            if (!is_watched_) std::thread([this] { watch(); }).detach();
        } catch (...) {
            if (!kept_.empty() && kept_.back().block == block) kept_.pop_back();
            return false;
        }
        is_watched_ = true;
        cached_bytes_ += size;
        return true;
    }

    // The oldest go first.
    void shrink(std::size_t most) {
        auto it = kept_.begin();
        for (; cached_bytes_ > most; ++it) {
            cached_bytes_ -= it->size;
            release(it->block);
        }
        kept_.erase(kept_.begin(), it);
    }

    bool release_all() {
        const std::lock_guard lock(mutex_);
        const bool any = cached_bytes_ > 0;
        shrink(0);
        return any;
    }

    // Until nothing is kept.
    void watch() {
        std::unique_lock lock(mutex_);
        while (!kept_.empty()) {
            const Clock::time_point until = kept_.front().since + kept_for;
            lock.unlock();
            std::this_thread::sleep_until(until);
            lock.lock();
            const Clock::time_point now = Clock::now();
            std::size_t young = 0;
            for (const Kept& each : kept_)
                if (each.since + kept_for > now) young += each.size;
            shrink(young);
        }
        is_watched_ = false;
    }

    std::mutex mutex_;
    std::vector<Kept> kept_;  // in the order in which they were given back
    std::unordered_map<void*, std::size_t> live_;
    std::size_t cached_bytes_ = 0, limit_ = 0;
    bool is_watched_ = false;
};

// Never destroyed: arrays may outlive everything else.
Blocks& blocks() {
    static Blocks& all = *[] {
        Blocks* const made = new Blocks;
#if defined(__unix__) || defined(__APPLE__)
        pthread_atfork([] { blocks().before_fork(); }, [] { blocks().after_fork(); },
                       [] { blocks().after_fork_in_child(); });
#endif
        return made;
    }();
    return all;
}

}  // namespace

void* take_block(std::size_t bytes) noexcept {
    try {
        return blocks().take(bytes);
    } catch (...) {
        return nullptr;
    }
}

void give_block(void* block) noexcept { blocks().give(block); }

void* resize_block(void* block, std::size_t bytes) noexcept {
    const std::size_t size = blocks().size_of(block);
    if (bytes <= size && size - bytes <= size / 4) return block;
    void* const other = take_block(bytes);
    if (other == nullptr) return nullptr;
    std::memcpy(other, block, std::min(size, bytes));
    give_block(block);
    return other;
}

void set_cache_limit(std::size_t bytes) { blocks().set_limit(bytes); }
std::size_t cache_limit() { return blocks().limit(); }
std::size_t cached_bytes() { return blocks().kept(); }

}  // namespace samesum
