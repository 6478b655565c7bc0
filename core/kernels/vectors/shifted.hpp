// Elements of a vector moved towards its end, as the steps of a scan move them.
#pragma once

#include <utility>

#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t distance, std::size_t length, class V, std::size_t... i>
SAMESUM_INLINE V shifted_among(V v, V into, std::index_sequence<i...>) {
    return __builtin_shufflevector(
        into, v, static_cast<int>(i % length < distance ? i : elements_of<V> + i - distance)...);
}

// In each group of `length` elements number i moves to i + distance; those of `into` stand in the places that
// get free.
template <std::size_t distance, std::size_t length, class V>
SAMESUM_INLINE V shifted_groups(V v, V into) {
    return shifted_among<distance, length>(v, into, std::make_index_sequence<elements_of<V> >{});
}
template <std::size_t distance, class V>
SAMESUM_INLINE V shifted(V v, V into) {
    return shifted_groups<distance, elements_of<V> >(v, into);
}

template <class V, std::size_t... i>
SAMESUM_INLINE V last_among(V v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, static_cast<int>(0 * i + elements_of<V> - 1)...);
}

// In every element.
template <class V>
SAMESUM_INLINE V last_of(V v) {
    return last_among(v, std::make_index_sequence<elements_of<V> >{});
}

}  // namespace samesum::SAMESUM_ISA
