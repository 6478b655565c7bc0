// Minima and maxima.
#pragma once

#include "kernels/accumulators/extreme.hpp"
#include "kernels/search/search_tile.hpp"

namespace samesum::SAMESUM_ISA {

template <class Key, bool is_real, bool maximum>
struct Extremes {
    template <class T>
    using Of = Extreme<T, Key, is_real, maximum>;
    using Tile = SearchTile<Key, Of>;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile::of(tile).take_lane(j, static_cast<const char*>(x), n);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile::of(tile).take_rows(static_cast<const char*>(x), row_stride, rows, n);
    }

    template <Format format>
    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j)
            store(static_cast<char*>(out) + j * sizeof(Key),
                  Tile::of(tile).template at<Key>(j).result_or_empty(format));
        return 0;
    }

    // Of integers, whatever their format.
    template <Format format>
    static constexpr Method method() {
        return {Tile::most,
                Tile::init,
                each_lane<lane>,
                columns,
                each_merge<Tile::merge>,
                finish < is_real ? format : Format::u64 > };
    }
};

}  // namespace samesum::SAMESUM_ISA
