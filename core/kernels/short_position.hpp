// Positions of minima and maxima of whole sets of few elements.
#pragma once

#include "kernels/positions.hpp"
#include "kernels/short.hpp"
#include "kernels/widening.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, Format format, bool maximum, bool last>
struct ShortPosition {
    using All = Position<Key, format, maximum, last>;
    using Keys = typename All::Keys;
    static constexpr std::size_t step = All::lanes;

    static SAMESUM_INLINE Keys places(const ShortRows& rows) {
        const char* p = rows.p;
        Keys best = All::rank(load<Keys>(p)), place = {};
        for (std::size_t r = 1; r < rows.count; ++r) {
            const Keys x = All::rank(load<Keys>(p += rows.stride)), here = Keys{} + static_cast<Key>(r);
            const auto wins = last ? x >= best : x > best;
            best = wins ? x : best;
            place = wins ? here : place;
        }
        return place;
    }

    static SAMESUM_INLINE void store_all(char* out, Keys place) {
        if constexpr (sizeof(Key) == sizeof(std::int64_t)) {
            store(out, place);
        } else {
            char narrow[vector_bytes];
            store(narrow, place);
            for (std::size_t k = 0; k < step; k += width)
                store(out + k * sizeof(std::int64_t),
                      widened_from<std::int64_t, Key>(narrow + k * sizeof(Key)));
        }
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        each_short<step, sizeof(Key)>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, sizeof(std::int64_t)>(out, j, n, [&](char* to) { store_all(to, places(some)); });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
