#include "layout/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace samesum {

#if defined(__SSE2__)

void stream(char* to, const char* from, std::size_t bytes) {
    constexpr std::size_t line = 64, part = sizeof(__m128i);
    const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
    std::memcpy(to, from, head);
    std::size_t at = head;
    for (; at + line <= bytes; at += line) {
        for (std::size_t i = at; i < at + line; i += part) {
            const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), bits);
        }
    }
    std::memcpy(to + at, from + at, bytes - at);
}

void finish_streams() { _mm_sfence(); }

#else

void stream(char* to, const char* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void finish_streams() {}

#endif

}  // namespace samesum
