// Loops over lanes: elements that lie side by side and go to one state.
#pragma once

#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// take(k, v) for every vector v of n elements, at least half a vector of them; some may come twice. What is
// taken as number k in [0, 4) is to be kept apart, so that no chain of operations waits for the one before.
template <class V, class Take>
SAMESUM_INLINE void each_vector(const char* p, std::size_t n, const Take& take) {
    constexpr std::size_t step = elements_of<V>;
    if (n < step) return take(0, load_ends<V>(p, n));
    const char* const final = p + n * sizeof(ElementOf<V>) - sizeof(V);
    for (; n >= 4 * step; n -= 4 * step, p += 4 * sizeof(V)) {
        prefetch_run<4 * sizeof(V)>(p);
        for (std::size_t k = 0; k < 4; ++k) take(k, load<V>(p + k * sizeof(V)));
    }
    for (; n >= step; n -= step, p += sizeof(V)) {
        prefetch_run<sizeof(V)>(p);
        take(0, load<V>(p));
    }
    if (n > 0) take(1, load<V>(final));
}

// The state of n elements. `State<T>` is that of one element or of a vector of them: State<T>::none() of
// none, take(how..., x) adds elements, each of which may come twice, join(other) another state, and across()
// is the state of all elements of a vector.
template <template <class> class State, class V, class... How>
SAMESUM_INLINE State<ElementOf<V>> state_of_lane(const char* p, std::size_t n, const How&... how) {
    using Element = ElementOf<V>;
    if (n < elements_of<V> / 2) {
        State<Element> all = State<Element>::none();
        for (std::size_t i = 0; i < n; ++i) all.take(how..., load<Element>(p + i * sizeof(Element)));
        return all;
    }
    State<V> part[4] = {State<V>::none(), State<V>::none(), State<V>::none(), State<V>::none()};
    each_vector<V>(p, n, [&](std::size_t k, V v) SAMESUM_INLINED { part[k].take(how..., v); });
    part[0].join(part[1]);
    part[2].join(part[3]);
    part[0].join(part[2]);
    return part[0].across();
}

// The n elements after whole vectors, or alone, and zeros. Where loads that end with them are quicker, `Load`
// has last(p, n).
template <class Load>
SAMESUM_INLINE auto rest_of(const char* p, std::size_t n, bool has_vectors) {
    if constexpr (requires { requires Load::has_last; }) {
        if (has_vectors) return Load::last(p, n);
    }
    return Load::first(p, n);
}

// The state of a run of n elements, each of which counts once: State{} is that of none, take(v) adds a vector
// of elements, join(other) another state. `Load` makes the vectors: all(p) one of Load::elements elements,
// each Load::size bytes long, first(p, n) one of fewer, with zeros after them. One chain is for runs of few
// elements that are read beside others.
template <class State, class Load, std::size_t chains = 4>
SAMESUM_INLINE State state_of_run(const char* p, std::size_t n) {
    static_assert(chains == 1 || chains == 2 || chains == 4);
    constexpr std::size_t elements = Load::elements, step = elements * Load::size;
    State part[chains];
    const bool has_vectors = n >= elements;
    if constexpr (chains > 1) {
        for (; n >= chains * elements; n -= chains * elements, p += chains * step) {
            prefetch_run<chains * step>(p);
            for_each_of<chains>([&](std::size_t k)
                                    SAMESUM_INLINED { part[k].take(Load::all(p + k * step)); });
        }
    }
    for (; n >= elements; n -= elements, p += step) part[0].take(Load::all(p));
    if (n > 0) part[chains > 1].take(rest_of<Load>(p, n, has_vectors));
    if constexpr (chains > 1) part[0].join(part[1]);
    if constexpr (chains > 2) {
        part[2].join(part[3]);
        part[0].join(part[2]);
    }
    return part[0];
}

// add(r, states) of rows from number r on, whose states state_of(p) are folded into one, an element for each
// row. Elements after the last row are of no elements.
template <class StateOf, class Add>
SAMESUM_INLINE void each_fold_of_rows(const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                                      const StateOf& state_of, const Add& add) {
    for (std::size_t r = 0; r < rows; r += width) {
        decltype(state_of(p)) row[width];
        const std::size_t here = rows - r < width ? rows - r : width;
        for (std::size_t k = 0; k < here; ++k, p += row_stride) row[k] = state_of(p);
        add(r, folded_rows(row));
    }
}

}  // namespace samesum::SAMESUM_ISA
