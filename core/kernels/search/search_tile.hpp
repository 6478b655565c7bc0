// States of one or two keys for each output, and the loops over elements that are added to them.
#pragma once

#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of `State<Key>`, or of `State<V>` for a vector of keys.
template <class Key, template <class> class State>
struct SearchTile {
    using Keys = FullVector<Key>;
    using One = State<Key>;
    static constexpr std::size_t most = columns_of(sizeof(Key));

    Key best[most + 24];
    Key size[One::has_size ? most + 24 : 1];

    template <class T>
    SAMESUM_INLINE State<T> at(std::size_t j) const {
        State<T> state;
        state.best = load<T>(best + j);
        if constexpr (One::has_size) state.size = load<T>(size + j);
        return state;
    }

    template <class T>
    SAMESUM_INLINE void put(std::size_t j, const State<T>& state) {
        store(best + j, state.best);
        if constexpr (One::has_size) store(size + j, state.size);
    }

    static SearchTile& of(void* tile) {
        static_assert(sizeof(SearchTile) <= tile_bytes);
        return *static_cast<SearchTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) of(tile).best[j] = One::identity;
        if constexpr (One::has_size) std::memset(of(tile).size, 0, n * sizeof(Key));
    }

    SAMESUM_INLINE void take_lane(std::size_t j, const char* p, std::size_t n) {
        One all = at<Key>(j);
        all.join(state_of_lane<State, Keys>(p, n));
        put<Key>(j, all);
    }

    SAMESUM_INLINE void take_rows(const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        each_of_rows<Keys>(x, row_stride, rows, n,
                           [&]<class T>(T, auto count, std::size_t, std::size_t j, const char* p)
                               SAMESUM_INLINED {
                                   State<T> all = at<T>(j);
                                   for (std::size_t r = 0; r < count; ++r)
                                       all.take(load<T>(p + static_cast<std::ptrdiff_t>(r) * row_stride));
                                   put<T>(j, all);
                               });
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        One all = of(tile).template at<Key>(j);
        all.join(static_cast<const SearchTile*>(from)->template at<Key>(i));
        of(tile).template put<Key>(j, all);
    }
};

}  // namespace samesum::SAMESUM_ISA
