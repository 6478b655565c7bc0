// Elements chosen by their codes: all but NaN, or all but zeros.
#pragma once

#include "kernels/vectors/mask_bytes.hpp"
#include "methods/mask_method.hpp"

namespace samesum::SAMESUM_ISA {

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
};

}  // namespace samesum::SAMESUM_ISA
