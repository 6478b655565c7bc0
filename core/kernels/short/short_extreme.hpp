// Minima and maxima of whole sets of few elements, and whether all elements of them are true, or any.
#pragma once

#include "kernels/accumulators/extreme.hpp"
#include "kernels/search/positions.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/widening.hpp"

namespace samesum::SAMESUM_ISA {

// Positions of minima and maxima of whole sets of few elements.

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

// The state of a vector of sets, which have elements. With the first ones out of the loop GCC writes truths
// by vectors, three times as quickly.
template <class State, class Keys>
SAMESUM_INLINE State state_of_rows(const ShortRows& rows) {
    State all = State::none();
    const char* p = rows.p;
    all.take(load<Keys>(p));
    for (std::size_t r = 1; r < rows.count; ++r) {
        p += rows.stride;
        all.take(load<Keys>(p));
    }
    return all;
}

template <class Key, Format format, bool maximum>
struct ShortExtreme {
    using Keys = FullVector<Key>;
    using All = Extreme<Keys, Key, is_float(format), maximum>;

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_sure<Keys>(all, n, out, failed, [](const ShortRows& some) {
            return state_of_rows<All, Keys>(some).result(format);
        });
    }
};

template <class Bits, bool any>
struct ShortLogical {
    using Vector = FullVector<Bits>;
    using All = Truth<Vector, Bits, any>;
    static constexpr std::size_t step = elements_of<Vector>;

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        each_short<step, sizeof(Bits)>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, 1>(out, j, n,
                               [&](char* to) { put_truths(to, state_of_rows<All, Vector>(some).best); });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
