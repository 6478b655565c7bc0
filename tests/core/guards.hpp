// Memory whose neighbours cannot be touched unseen: after it, or before it, lies a page that nobody may read
// or write, and around it bytes that are looked at afterwards.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace walk {

inline std::ptrdiff_t sized(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

// Where an operand lies: its end at a page that cannot be read, or its first byte after one.
enum class Edge { end, front };

class Guarded {
  public:
    explicit Guarded(std::size_t most) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        room_ = (most + 2 * guard + page_ - 1) / page_ * page_;
        void* const all = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        first_ = static_cast<char*>(all) + page_;
        if (mprotect(first_, room_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        take(0);
    }
    ~Guarded() { munmap(first_ - page_, room_ + 2 * page_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    // So many bytes of any value, until the next call.
    char* take(std::size_t bytes, Edge edge = Edge::end) {
        bytes_ = bytes;
        begin_ = edge == Edge::front ? first_ : first_ + room_ - bytes;
        std::memset(edge == Edge::front ? begin_ + bytes : begin_ - guard, mark, guard);
        return begin_;
    }

    // Whether nothing was written beside them.
    bool is_whole() const {
        const bool front = begin_ == first_;
        const char* const p = front ? begin_ + bytes_ : begin_ - guard;
        for (std::size_t i = 0; i < guard; ++i)
            if (static_cast<std::uint8_t>(p[i]) != mark) return false;
        return true;
    }

  private:
    static constexpr std::size_t guard = 256;
    static constexpr std::uint8_t mark = 0xa7;

    std::size_t page_, room_, bytes_ = 0;
    char *first_, *begin_ = nullptr;
};

}  // namespace walk
