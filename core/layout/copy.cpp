#include "layout/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "select/layout_thresholds.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace samesum {

namespace {

template <class Bits>
Bits swapped_bytes(Bits x) {
    if constexpr (sizeof(Bits) == 2)
        return __builtin_bswap16(x);
    else if constexpr (sizeof(Bits) == 4)
        return __builtin_bswap32(x);
    else if constexpr (sizeof(Bits) == 8)
        return __builtin_bswap64(x);
    else
        return x;
}

template <class Bits, bool swap>
void copy_strided(const char* __restrict from, std::int64_t in, char* __restrict to, std::int64_t out,
                  std::size_t n) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n; ++i, from += in, to += out) {
        Bits x;
        std::memcpy(&x, from, sizeof x);
        if constexpr (swap) x = swapped_bytes(x);
        std::memcpy(to, &x, sizeof x);
    }
}

// With the steps known, compilers make shuffles of whole vectors out of this.
template <class Bits>
void copy_every_second(const char* __restrict from, char* __restrict to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        Bits x;
        std::memcpy(&x, from + 2 * i * sizeof x, sizeof x);
        std::memcpy(to + i * sizeof x, &x, sizeof x);
    }
}

template <class Bits>
void copy(const char* from, std::int64_t in, char* to, std::int64_t out, std::size_t n, bool swap) {
    constexpr std::int64_t size = sizeof(Bits);
    if (in == size && out == size && !swap)
        std::memcpy(to, from, n * sizeof(Bits));
    else if (swap)
        copy_strided<Bits, true>(from, in, to, out, n);
    else if (out == size && in == 2 * size)
        copy_every_second<Bits>(from, to, n);
    else if (out == size)
        copy_strided<Bits, false>(from, in, to, size, n);
    else
        copy_strided<Bits, false>(from, in, to, out, n);
}

}  // namespace

void copy_elements(const char* from, std::int64_t in, char* to, std::int64_t out, std::size_t n,
                   std::size_t size, bool swap) {
    switch (size) {
        case 1:
            return copy<std::uint8_t>(from, in, to, out, n, false);
        case 2:
            return copy<std::uint16_t>(from, in, to, out, n, swap);
        case 4:
            return copy<std::uint32_t>(from, in, to, out, n, swap);
        default:
            return copy<std::uint64_t>(from, in, to, out, n, swap);
    }
}

namespace {

// The lines of the memory that hold n elements.
void ask_for(const char* p, std::int64_t stride, std::int64_t n) {
    constexpr std::int64_t line = 64;
    const std::int64_t length = stride * n, least = stride < 0 ? -line : line,
                       step = std::abs(stride) < line ? least : stride;
    for (std::int64_t i = 0; std::abs(i) < std::abs(length); i += step) __builtin_prefetch(p + i);
}

}  // namespace

void gather(const char* from, std::int64_t stride, std::size_t n, std::size_t size, bool swapped, char* to,
            std::int64_t ahead) {
    if (stride == 0 && n > 0) {
        copy_elements(from, 0, to, 0, 1, size, swapped);
        for (std::size_t done = 1, now; done < n; done += now) {
            now = std::min(done, n - done);
            std::memcpy(to + done * size, to, now * size);
        }
        return;
    }
    const bool asks = ahead != 0;
    const std::size_t together = asks ? static_cast<std::size_t>(gather_part) : n;
    for (std::size_t i = 0; i < n; i += together) {
        const std::size_t now = std::min(together, n - i);
        const char* p = from + static_cast<std::int64_t>(i) * stride;
        if (asks) ask_for(p + ahead, stride, static_cast<std::int64_t>(now));
        copy_elements(p, stride, to + i * size, static_cast<std::int64_t>(size), now, size, swapped);
    }
}

void scatter(const char* from, std::size_t n, std::size_t size, char* to, std::int64_t stride) {
    copy_elements(from, static_cast<std::int64_t>(size), to, stride, n, size, false);
}

namespace {

// Rows of up to 2 * `part` bytes, not fewer than `part`.
template <std::size_t part>
void copy_short_rows(const char* from, std::int64_t in, std::size_t bytes, std::int64_t rows, char* to) {
    for (std::int64_t r = 0; r < rows; ++r, from += in, to += bytes) {
        char head[part], tail[part];
        std::memcpy(head, from, part);
        std::memcpy(tail, from + bytes - part, part);
        std::memcpy(to, head, part);
        std::memcpy(to + bytes - part, tail, part);
    }
}

// Contiguous rows.
void copy_whole_rows(const char* from, std::int64_t in, std::size_t bytes, std::int64_t rows, char* to) {
    const std::int64_t step = static_cast<std::int64_t>(bytes);
    switch (std::bit_width(bytes)) {
        case 2:
            return copy_short_rows<2>(from, in, bytes, rows, to);
        case 3:
            return copy_short_rows<4>(from, in, bytes, rows, to);
        case 4:
            return copy_short_rows<8>(from, in, bytes, rows, to);
        case 5:
            return copy_short_rows<16>(from, in, bytes, rows, to);
        case 6:
            return copy_short_rows<32>(from, in, bytes, rows, to);
        case 7:
            return copy_short_rows<64>(from, in, bytes, rows, to);
        default:
            // What is behind a row is read next, after the others.
            for (std::int64_t r = 0; r < rows; ++r, from += in, to += step) {
                for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + bytes + i);
                std::memcpy(to, from, bytes);
            }
    }
}

}  // namespace

Packing::Packing(const Dims& dims, std::size_t size, bool swapped)
    : dims_(dims), size_(size), swapped_(swapped) {
    std::int64_t out = 1;
    for (int i = dims_.rank; i-- > 0; out *= dims_.dim[i].size) dims_.dim[i].out = out;
    merge_neighbours(dims_);
    if (dims_.rank == 0) dims_.push({1, static_cast<std::int64_t>(size), 1});
    for (int i = 0; i < dims_.rank; ++i) inner_[i] = dims_.dim[i].out;
}

// Returns the end of what was written, as copy_rows does.
char* Packing::copy_from(int level, const char* p, std::int64_t first, std::int64_t n, char* to) const {
    const Dim& d = dims_.dim[level];
    if (level == dims_.rank - 1) {
        gather(p + first * d.in, d.in, static_cast<std::size_t>(n), size_, swapped_, to);
        return to + n * static_cast<std::int64_t>(size_);
    }
    const std::int64_t inner = inner_[level];
    std::int64_t i = first / inner, skipped = first % inner;
    while (n > 0) {
        std::int64_t now = std::min(inner - skipped, n);
        if (level == dims_.rank - 2 && now == inner) {
            const std::int64_t rows = n / inner;
            to = copy_rows(p + i * d.in, rows, to);
            now = rows * inner;
            i += rows;
        } else {
            to = copy_from(level + 1, p + i * d.in, skipped, now, to);
            ++i;
        }
        n -= now;
        skipped = 0;
    }
    return to;
}

// Of the last dimension but one.
char* Packing::copy_rows(const char* p, std::int64_t rows, char* to) const {
    const Dim &row = dims_.dim[dims_.rank - 2], &element = dims_.dim[dims_.rank - 1];
    const std::int64_t size = static_cast<std::int64_t>(size_), bytes = element.size * size;
    if (element.in == size && !swapped_) {
        copy_whole_rows(p, row.in, static_cast<std::size_t>(bytes), rows, to);
    } else {
        for (std::int64_t r = 0; r < rows; ++r)
            gather(p + r * row.in, element.in, static_cast<std::size_t>(element.size), size_, swapped_,
                   to + r * bytes, row.in);
    }
    return to + rows * bytes;
}

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
