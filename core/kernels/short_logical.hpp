// Whether all, or any, elements of whole sets of few are true.
#pragma once

#include "kernels/logical.hpp"
#include "kernels/short.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, bool is_real, bool any>
struct ShortLogical {
    using All = Logical<Bits, is_real, any>;
    using Vector = typename All::Vector;
    static constexpr std::size_t step = elements_of<Vector>;

    static SAMESUM_INLINE void put(char* out, const ShortRows& rows) {
        Vector seen = Vector{} + All::open;
        const char* p = rows.p;
        for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride)
            seen = All::with(seen, load<Vector>(p));
        Bits bits[step];
        store(bits, seen);
        for (std::size_t k = 0; k < step; ++k) out[k] = bits[k] != 0;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        each_short<step, sizeof(Bits)>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, 1>(out, j, n, [&](char* to) { put(to, some); });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
