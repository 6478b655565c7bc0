// Elements chosen by a mask. The loops are such that compilers make vectors of them.
#pragma once

#include "kernels/vectors.hpp"
#include "methods/mask_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
struct Masked {
    static SAMESUM_INLINE Bits at(const void* x, std::ptrdiff_t i) {
        return load<Bits>(static_cast<const char*>(x) + i * static_cast<std::ptrdiff_t>(sizeof(Bits)));
    }
    static SAMESUM_INLINE void put(void* to, std::size_t i, Bits value) {
        store(static_cast<char*>(to) + i * sizeof(Bits), value);
    }

    static void fill(const void* x, const std::uint8_t* mask, std::size_t n, std::uint64_t identity,
                     void* to) {
        constexpr std::size_t together = 64;
        const Bits other = static_cast<Bits>(identity);
        const char* p = static_cast<const char*>(x);
        char* out = static_cast<char*>(to);
        for (; n >= together; n -= together, p += together * sizeof(Bits), out += together * sizeof(Bits)) {
            prefetch_run<together * sizeof(Bits)>(p);
            fill_some(p, mask, together, other, out);
            mask += together;
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

    static SAMESUM_INLINE std::uint8_t is_low(Bits code, const CodeRange& codes) {
        return static_cast<Bits>(static_cast<Bits>(code + static_cast<Bits>(codes.step)) &
                                 static_cast<Bits>(codes.magnitude)) <= static_cast<Bits>(codes.most);
    }

    static void those_of(const void* x, const std::uint8_t* mask, std::size_t n, const CodeRange& codes,
                         std::uint8_t* to) {
        const CodeRange own = codes;
        const std::uint8_t flip = own.above;
        if (mask == nullptr) {
#pragma GCC ivdep
            for (std::size_t i = 0; i < n; ++i)
                to[i] = is_low(at(x, static_cast<std::ptrdiff_t>(i)), own) ^ flip;
            return;
        }
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i)
            to[i] = (is_low(at(x, static_cast<std::ptrdiff_t>(i)), own) ^ flip) & (mask[i] != 0);
    }
};

inline void ones_of(const std::uint8_t* mask, std::size_t n, std::uint8_t* to) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) to[i] = mask[i] != 0;
}

}  // namespace samesum::SAMESUM_ISA
