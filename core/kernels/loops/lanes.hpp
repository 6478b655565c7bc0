// Loops over lanes: elements that lie side by side and go to one state.
#pragma once

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

}  // namespace samesum::SAMESUM_ISA
