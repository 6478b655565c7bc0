// A method from exact states: they take one element after the other, and none of them can fail.
#pragma once

#include <new>

#include "arithmetic/rounding.hpp"
#include "exact/moments/moments.hpp"
#include "methods/method.hpp"

namespace samesum {

template <class State>
std::size_t finish_states(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    for (std::size_t j = 0; j < n; ++j) {
        store_bits(out, j, static_cast<const State*>(tile)[j].rounded(how), size_of(how.format));
        failed[j] = 0;
    }
    return 0;
}

// A run of elements, one after the other.
template <class State, void (*take)(State&, const void*)>
void take_each(State& state, const char* p, std::ptrdiff_t stride, std::size_t n) {
    for (std::size_t i = 0; i < n && !state.is_nan(); ++i, p += stride) take(state, p);
}

template <class State, Format format, void (*take_run)(State&, const char*, std::ptrdiff_t, std::size_t)>
struct States {
    static constexpr std::size_t fitting = tile_bytes / sizeof(State);
    static constexpr std::size_t capacity = fitting < tile_columns ? fitting : tile_columns;

    static State* states(void* tile) { return static_cast<State*>(tile); }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) new (states(tile) + j) State;
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        take_run(states(tile)[j], static_cast<const char*>(x), size_of(format), n);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        for (std::size_t j = 0; j < n; ++j)
            take_run(states(tile)[j], static_cast<const char*>(x) + j * size_of(format), row_stride, rows);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        states(tile)[j].merge(static_cast<const State*>(from)[i]);
    }

    static constexpr Method method{
        capacity, init, each_lane<lane>, columns, each_merge<merge>, finish_states<State>};
};

// Exact sums of the elements of a set and of their squares.
template <class Sum, class Squares>
struct SumAndSquares {
    Sum sum;
    Squares squares;

    void merge(const SumAndSquares& other) {
        sum.merge(other.sum);
        squares.merge(other.squares);
    }
    std::uint64_t rounded(const Finish& how) const {
        const bool is_root = how.finalize == Finalize::root;
        return rounded_moment(
            sum.total(), squares.total(),
            {is_root ? MomentKind::deviation : MomentKind::variance, how.format, how.count, how.correction});
    }
};

// Variances, from what takes a run of elements and of their squares.
template <class Sum, class Squares, Format format,
          void (*take_run)(Sum&, const char*, std::ptrdiff_t, std::size_t),
          void (*take_squares)(Squares&, const char*, std::ptrdiff_t, std::size_t)>
struct Variance {
    using State = SumAndSquares<Sum, Squares>;

    static void take(State& state, const char* p, std::ptrdiff_t stride, std::size_t n) {
        take_run(state.sum, p, stride, n);
        take_squares(state.squares, p, stride, n);
    }
    static constexpr Method method = States<State, format, take>::method;
};

}  // namespace samesum
