#include "run/bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::size_t piece = 1 << 20;
constexpr std::size_t copied = 1 << 15;  // what is written more than once stays in the L1 cache meanwhile

template <class Piece>
double seconds(std::size_t bytes, Piece&& on_piece) {
    auto task = [&](std::size_t t, std::size_t) {
        const std::size_t first = t * piece;
        on_piece(first, bytes - first < piece ? bytes - first : piece);
    };
    const auto start = std::chrono::steady_clock::now();
    for_each_task((bytes + piece - 1) / piece, thread_count(), task);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t read(const Method& method, const char* data, std::size_t bytes) {
    std::uint64_t total = 0;
    method.init(&total, 1);
    for (std::size_t i = 0; i < bytes / 8; i += block_elements)
        method.lanes(&total, 0, data + i * 8, std::min<std::size_t>(bytes / 8 - i, block_elements), 0, 1);
    return total;
}

const Method& reading() { return current_instruction_set().methods->modular[7][0][0]; }

// Where the part of `to` begins that belongs to block `b` of `blocks`.
std::size_t part_begin(std::size_t written, std::size_t blocks, std::size_t b) {
    return written / blocks * b + written % blocks * b / blocks;
}

}  // namespace

double read_seconds(const char* data, std::size_t bytes) {
    const Method& method = reading();
    std::atomic<std::uint64_t> sum{0};
    return seconds(bytes, [&](std::size_t first, std::size_t n) { sum += read(method, data + first, n); });
}

double copy_seconds(const char* from, std::size_t bytes, char* to, std::size_t written, bool streams) {
    const Method& method = reading();
    const std::size_t blocks = (bytes + copied - 1) / copied;
    std::atomic<std::uint64_t> sum{0};
    return seconds(bytes, [&](std::size_t first, std::size_t n) {
        for (std::size_t b = first / copied; b * copied < first + n; ++b) {
            const char* block = from + b * copied;
            const std::size_t size = std::min(copied, bytes - b * copied);
            const std::size_t end = part_begin(written, blocks, b + 1);
            std::size_t at = part_begin(written, blocks, b);
            if (const std::size_t wanted = (end - at + 7) / 8 * 8; wanted < size)
                sum += read(method, block + wanted, size - wanted);
            for (; at < end; at += std::min(size, end - at)) {
                if (streams)
                    stream(to + at, block, std::min(size, end - at));
                else
                    std::memcpy(to + at, block, std::min(size, end - at));
            }
        }
        if (streams) finish_streams();
    });
}

}  // namespace samesum
