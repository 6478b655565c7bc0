// Whether all, or any, elements are true.
#pragma once

#include "kernels/accumulators/truth.hpp"
#include "kernels/search/search_tile.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, bool any>
struct Logical {
    template <class T>
    using Of = Truth<T, Bits, any>;
    using Tile = SearchTile<Bits, Of>;

    // Elements of a lane, or rows of columns, between two looks at whether the rest still matters.
    static constexpr std::size_t lane_chunk = 4096 / sizeof(Bits), column_chunk = 64;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* const p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n && !t.template at<Bits>(j).is_decided(); i += lane_chunk)
            t.take_lane(j, p + i * sizeof(Bits), n - i < lane_chunk ? n - i : lane_chunk);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows && !all_decided(t, n); r += column_chunk) {
            t.take_rows(p, row_stride, rows - r < column_chunk ? rows - r : column_chunk, n);
            p += static_cast<std::ptrdiff_t>(column_chunk) * row_stride;
        }
    }

    static SAMESUM_INLINE bool all_decided(const Tile& t, std::size_t n) {
        std::size_t left = 0;
        for (std::size_t j = 0; j < n; ++j) left += !t.template at<Bits>(j).is_decided();
        return left == 0;
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j) static_cast<std::uint8_t*>(out)[j] = Tile::of(tile).best[j] != 0;
        return 0;
    }

    static constexpr Method method() {
        return {Tile::most, Tile::init, each_lane<lane>, columns, each_merge<Tile::merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
