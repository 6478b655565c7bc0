#include "run/bandwidth.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::size_t piece = 1 << 20;

template <class Piece>
double seconds(std::size_t bytes, Piece&& on_piece) {
    auto task = [&](std::size_t t, std::size_t) {
        const std::size_t first = t * piece;
        on_piece(first, bytes - first < piece ? bytes - first : piece);
    };
    const auto start = std::chrono::steady_clock::now();
    for_each_task((bytes + piece - 1) / piece, static_cast<std::size_t>(thread_count()), task);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double read_seconds(const char* data, std::size_t bytes) {
    const Method& method = current_instruction_set().methods->modular[7][0][0];
    std::atomic<std::uint64_t> sum{0};
    return seconds(bytes, [&](std::size_t first, std::size_t n) {
        std::uint64_t total = 0;
        method.init(&total, 1);
        for (std::size_t i = 0; i < n / 8; i += block_elements) {
            const std::size_t left = n / 8 - i;
            method.lanes(&total, 0, data + first + i * 8, left < block_elements ? left : block_elements, 0,
                         1);
        }
        sum += total;
    });
}

double copy_seconds(const char* from, char* to, std::size_t bytes) {
    return seconds(bytes,
                   [&](std::size_t first, std::size_t n) { std::memcpy(to + first, from + first, n); });
}

}  // namespace samesum
