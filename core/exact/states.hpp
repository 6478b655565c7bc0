// A method from exact states: they take one element after the other, and none of them can fail.
#pragma once

#include <new>

#include "exact/rounding.hpp"
#include "kernels/method.hpp"

namespace samesum {

template <class State>
std::size_t finish_states(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    for (std::size_t j = 0; j < n; ++j) {
        store_bits(out, j, static_cast<const State*>(tile)[j].rounded(how), size_of(how.format));
        failed[j] = 0;
    }
    return 0;
}

template <class State, Format format, void (*take)(State&, const void*)>
struct States {
    static constexpr std::size_t fitting = tile_bytes / sizeof(State);
    static constexpr std::size_t capacity = fitting < tile_columns ? fitting : tile_columns;

    static State* states(void* tile) { return static_cast<State*>(tile); }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) new (states(tile) + j) State;
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        columns(states(tile) + j, x, size_of(format), n, 1);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) {
            State& state = states(tile)[j];
            const char* p = static_cast<const char*>(x) + j * size_of(format);
            for (std::size_t r = 0; r < rows && !state.is_nan(); ++r, p += row_stride) take(state, p);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        states(tile)[j].merge(static_cast<const State*>(from)[i]);
    }

    static constexpr Method method{
        capacity, init, each_lane<lane>, columns, each_merge<merge>, finish_states<State>};
};

}  // namespace samesum
