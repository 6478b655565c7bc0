// Methods of float64 for every other format: elements are written out as doubles, some at a time.
#pragma once

#include <algorithm>

#include "kernels/instruction_set.hpp"
#include "methods/method.hpp"

namespace samesum {

// `base` is the method for doubles. Integers that no double holds become NaN, which nothing certifies.
template <const Method& (*base)()>
struct Widened {
    template <Format in>
    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        alignas(64) double block[block_elements];
        widen<in>(static_cast<const char*>(x), n, block);
        base().lanes(tile, j, block, n, 0, 1);
    }

    template <Format in>
    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        alignas(64) double block[block_elements];
        const std::size_t most = block_elements / n;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += most) {
            const std::size_t now = std::min(most, rows - r);
            for (std::size_t i = 0; i < now; ++i, p += row_stride) widen<in>(p, n, block + i * n);
            base().columns(tile, block, static_cast<std::ptrdiff_t>(n * sizeof(double)), now, n);
        }
    }

    // Any format but the floats of eight bits.
    static Method method(Format in) {
        Method m = base();
        if (in == Format::f64) return m;
        in_wide_format(in, [&]<Format f>() {
            m.lanes = each_lane<lane<f>>;
            m.columns = columns<f>;
        });
        return m;
    }

  private:
    template <Format in>
    static void widen(const char* p, std::size_t n, double* to) {
        constexpr std::size_t place = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in);
        current_instruction_set().norms->widen[place](p, n, to);
    }
};

// Sums of exponentials of every format, in the double-words of float64.

// Any format but the floats of eight bits; of integers they certify all but sums that are too great for a
// double and what double-words cannot tell.
Method exponential_words_method(Format in);

}  // namespace samesum
