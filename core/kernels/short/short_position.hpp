// Positions of minima and maxima of whole sets of few elements.
#pragma once

#include "kernels/search/positions.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/widening.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, bool is_real, bool last>
struct ShortPosition {
    using All = Position<Key, is_real, last>;
    using Keys = typename All::Keys;
    using Order = typename All::Order;
    static constexpr std::size_t step = All::lanes;

    static SAMESUM_INLINE Keys places(const Order& order, const ShortRows& rows) {
        const char* p = rows.p;
        Keys best = order.template rank<is_real>(load<Keys>(p)), place = {};
        for (std::size_t r = 1; r < rows.count; ++r) {
            const Keys x = order.template rank<is_real>(load<Keys>(p += rows.stride)),
                       here = Keys{} + static_cast<Key>(r);
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

    static __attribute__((noinline)) void find(Order order, const ShortRows& all, std::size_t n, void* out) {
        each_short<step, sizeof(Key)>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, sizeof(std::int64_t)>(out, j, n,
                                                  [&](char* to) { store_all(to, places(order, some)); });
        });
    }

    template <Format format, bool maximum>
    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        find(Order::of(format, maximum), {static_cast<const char*>(x), row_stride, count}, n, out);
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
