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

// Loops take elements by a `Load`: all(p) is a vector of Load::elements elements, each Load::size bytes long,
// first(p, n) one of fewer, with elements after them that add nothing to a state. Where loads that end with n
// elements are quicker, last(p, n) are those. Where some vectors make one term before it comes to the state,
// term(p, distance) is that of `Load::together` of them, so many bytes apart.
template <class Load>
constexpr std::size_t vectors_together() {
    if constexpr (requires { Load::together; }) return Load::together;
    return 1;
}
template <class Load>
SAMESUM_INLINE auto term_of(const char* p, std::ptrdiff_t distance) {
    if constexpr (vectors_together<Load>() > 1)
        return Load::term(p, distance);
    else
        return Load::all(p);
}

// The n elements after whole vectors, or alone, and what adds nothing.
template <class Load>
SAMESUM_INLINE auto rest_of(const char* p, std::size_t n, bool has_vectors) {
    if constexpr (requires { requires Load::has_last; }) {
        if (has_vectors) return Load::last(p, n);
    }
    return Load::first(p, n);
}

// take(k, term) of as many elements of n as are terms of all chains, from p on, which goes on to what is
// left.
template <class Load, std::size_t chains, class Take>
SAMESUM_INLINE void each_term(const char*& p, std::size_t& n, const Take& take) {
    constexpr std::size_t together = vectors_together<Load>(), vector = Load::elements * Load::size,
                          step = together * vector;
    for (; n >= chains * together * Load::elements; n -= chains * together * Load::elements) {
        if constexpr (chains > 1) prefetch_run<chains * step>(p);
        for_each_of<chains>([&](std::size_t k)
                                SAMESUM_INLINED { take(k, term_of<Load>(p + k * step, vector)); });
        p += chains * step;
    }
}

// The state of a run of n elements, each of which counts once: State{} is that of none, take(v) adds a vector
// of elements or a term, join(other) another state. One chain is for runs of few elements that are read
// beside others; its state may begin with what lies before.
template <class State, class Load, std::size_t chains = 4>
SAMESUM_INLINE State state_of_run(const char* p, std::size_t n, const State& before = {},
                                  bool has_vectors = false) {
    static_assert(chains == 1 || chains == 2 || chains == 4);
    constexpr std::size_t elements = Load::elements, vector = elements * Load::size;
    State part[chains] = {before};
    has_vectors |= n >= elements;
    if constexpr (chains > 1)
        each_term<Load, chains>(p, n,
                                [&](std::size_t k, const auto& term) SAMESUM_INLINED { part[k].take(term); });
    if constexpr (vectors_together<Load>() > 1)
        each_term<Load, 1>(p, n, [&](std::size_t, const auto& term) SAMESUM_INLINED { part[0].take(term); });
    for (; n >= elements; n -= elements, p += vector) part[0].take(Load::all(p));
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
