// Sums of elements of narrow formats in the double-word loops of float64, which they are written out for.
#pragma once

#include "kernels/sums/sum2.hpp"

namespace samesum::SAMESUM_ISA {

// How rows of elements of `size` bytes are written out, each filled up with zeros to whole vectors.
struct Widening {
    std::size_t size;
    void (*fill)(double* to, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n);
};

template <class Load>
void fill_widened(double* to, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
    for (std::size_t r = 0; r < rows; ++r, x += row_stride) {
        const char* p = x;
        std::size_t left = n;
        for (; left >= width; left -= width, p += width * Load::size, to += width) {
            prefetch_run<width * Load::size>(p);
            store(to, Load::all(p));
        }
        if (left == 0) continue;
        store(to, Load::first(p, left));
        to += width;
    }
}

// Zeros change neither sums nor bounds.
struct WidenedLoops {
    using Words = Sum2<Float64, Map::itself>;
    // They stay in the first cache.
    static constexpr std::size_t most = 2048, most_columns = 64;

    static void lanes(const Widening& widening, void* tile, std::size_t j, const void* x, std::size_t n,
                      std::ptrdiff_t row_stride, std::size_t rows) {
        alignas(64) double element[most];
        for (std::size_t i = 0; i < n; i += most) {
            const std::size_t here = n - i < most ? n - i : most, pitch = padded(here), fit = most / pitch;
            const std::size_t at_once = fit < width ? fit : fit / width * width;
            const char* p = static_cast<const char*>(x) + i * widening.size;
            for (std::size_t r = 0; r < rows; r += at_once) {
                const std::size_t now = rows - r < at_once ? rows - r : at_once;
                widening.fill(element, p, row_stride, now, here);
                Words::lanes(tile, j + r, element, pitch, static_cast<std::ptrdiff_t>(pitch * sizeof(double)),
                             now);
                p += static_cast<std::ptrdiff_t>(now) * row_stride;
            }
        }
    }

    static void columns(const Widening& widening, void* tile, const void* x, std::ptrdiff_t row_stride,
                        std::size_t rows, std::size_t n) {
        alignas(64) double element[most];
        for (std::size_t j = 0; j < n; j += most_columns) {
            const std::size_t here = n - j < most_columns ? n - j : most_columns, pitch = padded(here);
            const char* p = static_cast<const char*>(x) + j * widening.size;
            for (std::size_t r = 0; r < rows; r += most / pitch) {
                const std::size_t now = rows - r < most / pitch ? rows - r : most / pitch;
                widening.fill(element, p, row_stride, now, here);
                Words::columns_from(*static_cast<Sum2Tile*>(tile), j, reinterpret_cast<const char*>(element),
                                    static_cast<std::ptrdiff_t>(pitch * sizeof(double)), now, pitch);
                p += static_cast<std::ptrdiff_t>(now) * row_stride;
            }
        }
    }
};

// `Load` makes vectors of doubles.
template <class Load>
constexpr Widening widening_of = {Load::size, fill_widened<Load>};

template <class Load>
struct WidenedSums {
    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        WidenedLoops::lanes(widening_of<Load>, tile, j, x, n, row_stride, rows);
    }
    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        WidenedLoops::columns(widening_of<Load>, tile, x, row_stride, rows, n);
    }

    static constexpr Method method() {
        return {tile_columns, Sum2Tile::init, lanes, columns, Sum2Tile::merge_all, Sum2Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
