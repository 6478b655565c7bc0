// Methods that end in exact sums, and methods of float64 for every format.
#pragma once

#include <algorithm>

#include "exact/totals/superaccumulator.hpp"
#include "kernels/instruction_set.hpp"
#include "methods/method.hpp"

namespace samesum {

// Variances by exact sums of the elements and of their squares.

// Of every format; it never fails.
const Method& exact_variance_method(Format format);

// Of map(x). The total of a block is nearly always exact in a few words; only where it is not, its elements
// are added to the superaccumulator one by one.
const Method& exact_sum_method(Format in, Map map);

// Adds n <= scan_elements contiguous elements.
template <class Total>
void add_block(Total& total, const char* x, std::size_t n, Format in);

// Methods of float64 for every other format: elements are written out as doubles, some at a time.

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
