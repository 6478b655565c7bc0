// Loops of scans: along a line, where the elements of a vector join one another, and along columns, each of
// which has a state. `State` says what joins: State::joined(a, b) of vectors, b after a, or in any order, and
// State::none(v), what joins v without a change.
#pragma once

#include "kernels/vectors/sweep.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// In each group of `length` elements each one joins those before it: in as many steps as a group has bits of
// places (W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986).
template <class State, std::size_t length, std::size_t distance = 1, class V>
SAMESUM_INLINE V prefixes_of_groups(V v) {
    if constexpr (distance < length) {
        v = State::joined(v, shifted_groups<distance, length>(v, State::none(v)));
        return prefixes_of_groups<State, length, 2 * distance>(v);
    }
    return v;
}
template <class State, class V>
SAMESUM_INLINE V prefixes_of(V v) {
    return prefixes_of_groups<State, elements_of<V> >(v);
}

// give(i, prefixes) of the vectors take(i) of elements from number i on, up to number n, after `run`, the
// state so far in every element. Returns the state after them. Nothing but one step waits for the vector
// before.
template <class State, class V, class Take, class Give>
SAMESUM_INLINE V scan_line(std::size_t n, V run, const Take& take, const Give& give) {
    for (std::size_t i = 0; i < n; i += elements_of<V>) {
        const V v = prefixes_of<State>(take(i));
        give(i, State::joined(v, run));
        run = State::joined(run, last_of(v));
    }
    return run;
}

// How columns are gone through: some rows at a time, which ask for what is read so many rows ahead and,
// unless that is zero, for where is written.
struct RowsTogether {
    std::size_t rows, in, out;
};

// Some vectors of neighbouring columns from number j on, whose states stay in registers on the way down. The
// last of them begins with column `last` and the state `before_last`.
template <std::size_t vectors, bool writes, class Scan, class Element, class V>
SAMESUM_INLINE void scan_vectors(const Scan& scan, Element* states, const ScanRows& all, std::size_t j,
                                 std::size_t last, V before_last, RowsTogether ahead) {
    constexpr std::size_t elements = Scan::elements;
    const auto column = [&](std::size_t k)
                            SAMESUM_INLINED { return k + 1 < vectors ? k * elements : last - j; };
    // Copies, which stores cannot change.
    const std::ptrdiff_t in = all.in, to = all.to, next = static_cast<std::ptrdiff_t>(ahead.in) * in,
                         next_to = static_cast<std::ptrdiff_t>(ahead.out) * to;
    const char* x = all.x + j * Scan::size;
    char* out = all.out + (writes ? j * Scan::result_size : 0);
    V now[vectors];
    for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED {
        now[k] = k + 1 < vectors ? load<V>(states + j + column(k)) : before_last;
    });
    for (std::size_t r = all.rows; r > 0; --r, x += in, out += writes ? to : 0) {
        for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED {
            const char* const p = x + column(k) * Scan::size;
            if (k * elements * Scan::size % 64 == 0) __builtin_prefetch(p + next);
            now[k] = Scan::joined(now[k], scan.all(p));
            if constexpr (!writes) return;
            char* const q = out + column(k) * Scan::result_size;
            if (k * elements * Scan::result_size % 64 == 0) __builtin_prefetch(q + next_to, 1);
            scan.put(q, now[k]);
        });
    }
    for_each_of<vectors>([&](std::size_t k) SAMESUM_INLINED { store(states + j + column(k), now[k]); });
}

// The same of up to `most` vectors.
template <std::size_t most, bool writes, class Scan, class Element, class V>
SAMESUM_INLINE void scan_up_to(std::size_t count, const Scan& scan, Element* states, const ScanRows& all,
                               std::size_t j, std::size_t last, V before_last, RowsTogether ahead) {
    if (most == 1 || count == most)
        return scan_vectors<most, writes>(scan, states, all, j, last, before_last, ahead);
    if constexpr (most > 1)
        scan_up_to<most - 1, writes>(count, scan, states, all, j, last, before_last, ahead);
}

// Fewer columns than a vector has elements.
template <bool writes, class Scan, class Element>
SAMESUM_APART void scan_narrow_rows(const Scan& scan, Element* states, const ScanRows& all) {
    const char* x = all.x;
    char* out = all.out;
    auto state = load<typename Scan::Vector>(states);
    for (std::size_t r = all.rows; r > 0; --r, x += all.in, out += writes ? all.to : 0) {
        state = Scan::joined(state, scan.first(x, all.n));
        if constexpr (writes) scan.put_first(out, state, all.n);
    }
    store(states, state);
}

// Rows of columns, `most` vectors of them at a time, whose states move on; memory has room for a vector of
// them. `Scan` is a State of vectors Scan::Vector of Scan::elements each, of which an element takes
// Scan::size bytes and its prefix Scan::result_size: scan.all(p) makes one of what lies at p, scan.put(p, v)
// writes its prefixes, and scan.first(p, n), scan.put_first(p, v, n) are the same of fewer.
template <bool writes, std::size_t most, class Scan, class Element>
SAMESUM_APART void scan_rows_together(const Scan& scan, Element* states, const ScanRows& all,
                                      RowsTogether ahead) {
    using V = typename Scan::Vector;
    constexpr std::size_t elements = Scan::elements;
    if (all.n < elements) {
        if constexpr (requires { requires Scan::has_narrower; })
            return scan_rows_together<writes, 1>(typename Scan::Narrower{}, states, all, ahead);
        else
            return scan_narrow_rows<writes>(scan, states, all);
    }
    // The last vector begins among the columns of the one before, with the states that those begin with.
    const std::size_t end = all.n - elements;
    const V before_end = load<V>(states + end);
    std::size_t j = 0;
    for (; j + most * elements < all.n; j += most * elements) {
        const std::size_t last = j + (most - 1) * elements;
        scan_vectors<most, writes>(scan, states, all, j, last, load<V>(states + last), ahead);
    }
    scan_up_to<most, writes>((all.n - j + elements - 1) / elements, scan, states, all, j, end, before_end,
                             ahead);
}

// For prefixes of `size` bytes, by as many rows as there are.
SAMESUM_INLINE RowsTogether rows_together(const ScanRows& all, std::size_t size) {
    if (all.rows <= scan_rows) return {scan_rows, all.rows == scan_rows ? scan_rows : 0, 0};
    const std::size_t ahead = rows_prefetch_distance / (all.n * size);
    return {all.rows, ahead, ahead};
}

// All rows, so many together, but few where they take several passes: they stay in L1 between them.
template <bool writes, std::size_t most, class Scan, class Element>
SAMESUM_INLINE void scan_columns_of(const Scan& scan, Element* states, const ScanRows& all,
                                    RowsTogether how) {
    constexpr std::size_t few = 8;
    if (how.rows > few && all.n > 2 * most * Scan::elements) how.rows = few;
    if (all.rows <= how.rows) return scan_rows_together<writes, most>(scan, states, all, how);
    ScanRows some = all;
    for (std::size_t left = all.rows; left > 0; left -= some.rows) {
        some.rows = left < how.rows ? left : how.rows;
        scan_rows_together<writes, most>(scan, states, some, how);
        const std::ptrdiff_t done = static_cast<std::ptrdiff_t>(some.rows);
        some.x += done * some.in;
        some.out += writes ? done * some.to : 0;
    }
}

}  // namespace samesum::SAMESUM_ISA
