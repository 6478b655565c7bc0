// Elements chosen by a mask: the methods of one instruction set, compiled as table.cpp is.
#include <algorithm>

#include "kernels/vectors/mask_bytes.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Elements chosen by a mask, and how many there are. The loops are such that compilers make vectors of them.
template <class Bits>
struct Masked {
    static SAMESUM_INLINE Bits at(const void* x, std::ptrdiff_t i) {
        return load<Bits>(static_cast<const char*>(x) + i * static_cast<std::ptrdiff_t>(sizeof(Bits)));
    }
    static SAMESUM_INLINE void put(void* to, std::size_t i, Bits value) {
        store(static_cast<char*>(to) + i * sizeof(Bits), value);
    }

    static void fill(const void* x, const std::uint8_t* mask, std::size_t n, std::uint64_t identity, void* to,
                     const Ahead& ahead) {
        constexpr std::size_t many = 64;
        const Bits other = static_cast<Bits>(identity);
        const char* p = static_cast<const char*>(x);
        char* out = static_cast<char*>(to);
        for (; n >= many; n -= many, p += many * sizeof(Bits), out += many * sizeof(Bits)) {
            prefetch<many * sizeof(Bits)>(p + ahead.x);
            __builtin_prefetch(mask + ahead.mask);
            fill_some(p, mask, many, other, out);
            mask += many;
        }
        fill_some(p, mask, n, other, out);
    }

    static SAMESUM_INLINE void fill_some(const char* x, const std::uint8_t* mask, std::size_t n, Bits other,
                                         char* to) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) {
            const Bits value = at(x, static_cast<std::ptrdiff_t>(i));
            put(to, i, mask[i] != 0 ? value : other);
        }
    }

    static std::size_t pick(const void* x, const std::uint8_t* mask, std::size_t n, void* to) {
        std::size_t count = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < n; ++i) {
            put(to, count, at(x, static_cast<std::ptrdiff_t>(i)));
            count += mask[i] != 0;
        }
        return count;
    }
};

// Elements chosen by their codes: all but NaN, or all but zeros.
template <class Bits>
struct Coded {
    using Elements = MaskBytes<Bits>;
    using Codes = typename Elements::Codes;
    static constexpr std::size_t together = Elements::together;

    // Whether codes are not above the last one.
    static SAMESUM_INLINE auto is_low(const char* p, const CodeRange& codes) {
        const Codes code =
            (load<Codes>(p) + static_cast<Bits>(codes.step)) & static_cast<Bits>(codes.magnitude);
        return code <= static_cast<Bits>(codes.most);
    }

    // 1 for elements of the range that the mask chooses, from bytes whose bits are all set for low codes.
    template <class Bytes>
    static SAMESUM_INLINE Bytes ones(Bytes low, const std::uint8_t* mask, const CodeRange& codes) {
        Bytes found = (low & 1) ^ static_cast<std::uint8_t>(codes.above);
        if (mask != nullptr) found &= reinterpret_cast<Bytes>(load<Bytes>(mask) != 0);
        return found;
    }

    static SAMESUM_INLINE auto low_bytes(const char* p, const CodeRange& codes) {
        return Elements::narrowed(reinterpret_cast<Codes>(is_low(p, codes)));
    }

    static void those_of(const void* x, const std::uint8_t* mask, std::size_t n, const CodeRange& codes,
                         std::uint8_t* to, const Ahead& ahead) {
        const char* p = static_cast<const char*>(x);
        const auto mask_at = [mask](std::size_t i) { return mask == nullptr ? nullptr : mask + i; };
        std::size_t i = 0;
        if constexpr (Elements::packs) {
            constexpr std::size_t bytes = vector_bytes * sizeof(Bits);
            for (; i + vector_bytes <= n; i += vector_bytes, p += bytes) {
                prefetch<bytes>(p + ahead.x);
                const auto low = Elements::packed(
                    [&](std::size_t k) SAMESUM_INLINED { return is_low(p + k * vector_bytes, codes); });
                store(to + i, ones(low, mask_at(i), codes));
            }
        }
        for (; i + together <= n; i += together, p += vector_bytes) {
            prefetch<vector_bytes>(p + ahead.x);
            store(to + i, ones(low_bytes(p, codes), mask_at(i), codes));
        }
        if (i == n) return;
        alignas(64) char rest[vector_bytes] = {};
        std::memcpy(rest, p, (n - i) * sizeof(Bits));
        const auto found = ones(low_bytes(rest, codes), nullptr, codes);
        for (std::size_t k = 0; i < n; ++k, ++i) to[i] = found[k] & (mask == nullptr || mask[i] != 0);
    }

    static bool fill_those(const void* x, std::size_t n, const CodeRange& codes, std::uint64_t identity,
                           void* to, const Ahead& ahead) {
        const char* p = static_cast<const char*>(x);
        char* out = static_cast<char*>(to);
        const Codes other = Codes{} + static_cast<Bits>(identity);
        Codes left_out = {};
        const auto fill = [&](const char* from, char* result) SAMESUM_INLINED {
            const Codes low = reinterpret_cast<Codes>(is_low(from, codes)), taken = codes.above ? ~low : low;
            store(result, (load<Codes>(from) & taken) | (other & ~taken));
            left_out |= ~taken;
        };
        std::size_t i = 0;
        for (; i + together <= n; i += together, p += vector_bytes, out += vector_bytes) {
            prefetch<vector_bytes>(p + ahead.x);
            fill(p, out);
        }
        if (i < n) {
            // Copies of an element that is there, which change nothing of what is told.
            alignas(64) char rest[vector_bytes];
            for (std::size_t k = 0; k < together; ++k)
                std::memcpy(rest + k * sizeof(Bits), p + std::min(k, n - i - 1) * sizeof(Bits), sizeof(Bits));
            fill(rest, rest);
            std::memcpy(out, rest, (n - i) * sizeof(Bits));
        }
        return !any_bit(reinterpret_cast<Longs>(left_out));
    }
};

using ManyBytes = typename VectorOf<std::uint8_t, vector_bytes>::type;

// Adds 1 to the elements of `ones` where the mask is not zero, at most 255 times.
SAMESUM_INLINE void add_ones(const std::uint8_t* mask, ManyBytes& ones) {
    ones -= reinterpret_cast<ManyBytes>(load<ManyBytes>(mask) != 0);
}

inline std::size_t count_chosen(const std::uint8_t* mask, std::size_t n) {
    constexpr std::uint64_t pairs = 0x00ff00ff00ff00ff, sums = 0x0001000100010001;
    std::size_t count = 0, i = 0;
    while (n - i >= vector_bytes) {
        const std::size_t end = i + std::min<std::size_t>((n - i) / vector_bytes, 255) * vector_bytes;
        ManyBytes ones = {};
        for (; i < end; i += vector_bytes) {
            prefetch_run<vector_bytes>(reinterpret_cast<const char*>(mask + i));
            add_ones(mask + i, ones);
        }
        const UnsignedLongs bytes = reinterpret_cast<UnsignedLongs>(ones);
        const UnsignedLongs eights = ((bytes & pairs) + (bytes >> 8 & pairs)) * sums >> 48;
        for (std::size_t k = 0; k < width; ++k) count += eights[k];
    }
    for (; i < n; ++i) count += mask[i] != 0;
    return count;
}

// Of the columns of a vector.
inline void count_chosen_of_some(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                                 std::int64_t* counts) {
    std::fill_n(counts, vector_bytes, 0);
    while (rows > 0) {
        const std::size_t now = std::min<std::size_t>(rows, 255);
        ManyBytes ones = {};
        for (std::size_t r = 0; r < now; ++r, mask += row_stride) add_ones(mask, ones);
        std::uint8_t each[vector_bytes];
        store(each, ones);
        for (std::size_t k = 0; k < vector_bytes; ++k) counts[k] += each[k];
        rows -= now;
    }
}

inline void count_chosen_of_columns(const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                                    std::size_t n, std::int64_t* counts) {
    if (n >= vector_bytes) {
        for (std::size_t j = 0; j + vector_bytes <= n; j += vector_bytes)
            count_chosen_of_some(mask + j, row_stride, rows, counts + j);
        // The last columns, some of them a second time.
        const std::size_t last = n - vector_bytes;
        if (n % vector_bytes != 0) count_chosen_of_some(mask + last, row_stride, rows, counts + last);
        return;
    }
    std::fill_n(counts, n, 0);
    for (std::size_t r = 0; r < rows; ++r, mask += row_stride)
        for (std::size_t j = 0; j < n; ++j) counts[j] += mask[j] != 0;
}

template <class Bits>
constexpr void add(MaskMethods& m, std::size_t size) {
    m.fill[size] = Masked<Bits>::fill;
    m.pick[size] = Masked<Bits>::pick;
    m.those_of[size] = Coded<Bits>::those_of;
    m.fill_those[size] = Coded<Bits>::fill_those;
}

constexpr MaskMethods all_masking() {
    MaskMethods m{};
    add<std::uint8_t>(m, 0);
    add<std::uint16_t>(m, 1);
    add<std::uint32_t>(m, 2);
    add<std::uint64_t>(m, 3);
    m.count = count_chosen;
    m.count_columns = count_chosen_of_columns;
    return m;
}

extern const MaskMethods masking;
const MaskMethods masking = all_masking();

}  // namespace samesum::SAMESUM_ISA
