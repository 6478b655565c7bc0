// Minima and maxima of whole sets of few elements.
#pragma once

#include "kernels/search/extremes.hpp"
#include "kernels/short/short.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, Format format, bool maximum>
struct ShortExtreme {
    using All = Extreme<Key, is_float(format), maximum>;
    using Keys = typename All::Keys;

    static SAMESUM_INLINE Keys result(Keys best, Keys size) {
        if constexpr (is_float(format)) {
            constexpr Key infinity = static_cast<Key>(infinity_bits(format));
            return size > infinity ? Keys{} + static_cast<Key>(canonical_nan(format)) : All::key(best);
        } else {
            return best;
        }
    }

    static SAMESUM_INLINE Keys extreme_of(const ShortRows& rows) {
        Keys best = Keys{} + All::identity;
        Keys size = {};
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) All::take(load<Keys>(p), best, size);
        return result(best, size);
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_sure<Keys>(all, n, out, failed, [](const ShortRows& some) { return extreme_of(some); });
    }
};

}  // namespace samesum::SAMESUM_ISA
