// Minima and maxima of whole sets of few elements, and whether all elements of them are true, or any.
#pragma once

#include "kernels/accumulators/extreme.hpp"
#include "kernels/accumulators/truth.hpp"
#include "kernels/short/short.hpp"

namespace samesum::SAMESUM_ISA {

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
