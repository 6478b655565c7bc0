// Windows in two steps: the elements of each column that a window has are joined first, once for all windows
// that share the column, then columns side by side.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/vectors/double_batches.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "methods/window_method.hpp"

namespace samesum::SAMESUM_ISA {

// f(constant, i) for `constant` vectors of `step` elements from i on; the last one may repeat elements. With
// fewer elements than a vector only one is taken.
template <std::size_t step, class Take>
SAMESUM_INLINE void each_vectors(std::size_t n, const Take& take) {
    constexpr std::integral_constant<std::size_t, 1> one;
    constexpr std::integral_constant<std::size_t, 2> two;
    std::size_t i = 0;
    for (; i + 2 * step <= n; i += 2 * step) take(two, i);
    for (; i + step <= n; i += step) take(one, i);
    if (i < n) take(one, n < step ? 0 : n - step);
}

// State: `parts` vectors of `step` Elements, of as many columns; of(p) and take(p) have elements of `size`
// bytes, `seen` is what they are noted in, by them and by note().
template <class State>
class WindowColumns {
    static constexpr std::size_t step = State::step, size = State::size, block = 256, most = 2 * block;
    using Vector = typename State::Vector;
    using Element = typename State::Element;
    using Seen = typename State::Seen;

    const WindowElements& all_;
    const std::size_t rows_, outers_, more_;  // of the first spans; of spans after the other
    const Element* row_[short_elements];
    Element columns_[4][State::parts][most];

  public:
    // Whether windows share columns, and those of a block have room.
    static bool serves(const WindowElements& all, std::size_t n) {
        return all.count > all.span_count && most_of(all) - n <= most - block;
    }

    WindowColumns(const WindowElements& all, std::size_t n)
        : all_(all),
          rows_(all.count * all.residues / all.span_count),
          outers_(all.span_count / all.residues),
          more_(most_of(all) - n) {
        for (std::size_t k = 0; k < rows_; ++k) {
            std::size_t s = 0;
            while (all.rows[k] < all.spans[s].data ||
                   all.rows[k] >= all.spans[s].data + all.spans[s].count * size)
                ++s;
            row_[k] = columns_[s][0] + static_cast<std::size_t>(all.rows[k] - all.spans[s].data) / size;
        }
    }
    WindowColumns(const WindowColumns&) = delete;
    WindowColumns& operator=(const WindowColumns&) = delete;

    // put(state, to) writes `step` results.
    template <class Put>
    __attribute__((noinline)) void make(std::size_t n, char* out, Seen& seen, const Put& put) {
        if (rows_ == 3 && outers_ == 3)
            make_counted(std::integral_constant<std::size_t, 3>{}, n, out, seen, put);
        else
            make_counted(0, n, out, seen, put);
    }

  private:
    static std::size_t most_of(const WindowElements& all) {
        std::size_t most_elements = 0;
        for (std::size_t s = 0; s < all.residues; ++s)
            most_elements = std::max(most_elements, all.spans[s].count);
        return most_elements;
    }

    // A constant `count` is that of rows and spans.
    template <class Count, class Put>
    SAMESUM_INLINE void make_counted(Count count, std::size_t n, char* out, Seen& seen, const Put& put) {
        for (std::size_t first = 0; first < n; first += block) {
            const std::size_t now = std::min(block, n - first);
            for (std::size_t s = 0; s < all_.residues; ++s)
                join_column(count, s, first, std::min(now + more_, all_.spans[s].count - first), seen);
            join_rows(count, now, out + first * size, put);
        }
    }

    template <class Count>
    SAMESUM_INLINE void join_column(Count count, std::size_t s, std::size_t first, std::size_t n,
                                    Seen& seen) {
        const char* from[short_elements];
        char padded[short_elements][step * size];
        const std::size_t outers = count != 0 ? static_cast<std::size_t>(count) : outers_;
        for (std::size_t o = 0; o < outers; ++o) {
            from[o] = all_.spans[s + o * all_.residues].data + first * size;
            if (n >= step) continue;
            std::memset(padded[o], 0, sizeof padded[o]);
            std::memcpy(padded[o], from[o], n * size);
            from[o] = padded[o];
        }
        Seen noted = seen;
        Element* const to = columns_[s][0];
        each_vectors<step>(n, [&](auto vectors, std::size_t i) SAMESUM_INLINED {
            State state[vectors];
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                state[v] = State::of(from[0] + (i + v * step) * size, noted);
            });
#pragma GCC unroll 2
            for (std::size_t o = 1; o < outers; ++o)
                for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                    state[v].take(from[o] + (i + v * step) * size, noted);
                });
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                state[v].note(noted);
                for (std::size_t k = 0; k < State::parts; ++k)
                    store(to + k * most + i + v * step, state[v].part[k]);
            });
        });
        seen = noted;
    }

    template <class Count, class Put>
    SAMESUM_INLINE void join_rows(Count count, std::size_t n, char* out, const Put& put) {
        const std::size_t rows = count != 0 ? static_cast<std::size_t>(count) : rows_;
        char some[step * size];
        char* const to = n < step ? some : out;
        each_vectors<step>(n, [&](auto vectors, std::size_t j) SAMESUM_INLINED {
            State state[vectors];
            for_each_of<vectors>([&](std::size_t v)
                                     SAMESUM_INLINED { state[v] = column(row_[0] + j + v * step); });
#pragma GCC unroll 2
            for (std::size_t k = 1; k < rows; ++k)
                for_each_of<vectors>([&](std::size_t v)
                                         SAMESUM_INLINED { state[v].join(column(row_[k] + j + v * step)); });
            for_each_of<vectors>([&](std::size_t v)
                                     SAMESUM_INLINED { put(state[v], to + (j + v * step) * size); });
        });
        if (n < step) std::memcpy(out, some, n * size);
    }

    static SAMESUM_INLINE State column(const Element* p) {
        State state;
        for (std::size_t k = 0; k < State::parts; ++k) state.part[k] = load<Vector>(p + k * most);
        return state;
    }
};

// Sums that are exact in float64.
template <class F>
struct ColumnSum {
    using Element = double;
    using Vector = Doubles;
    struct Seen {};
    static constexpr std::size_t step = width, size = F::size, parts = 1;
    Vector part[parts];

    static SAMESUM_INLINE ColumnSum of(const char* p, Seen&) { return {{widen(F::floats(p))}}; }
    SAMESUM_INLINE void note(Seen&) const {}
    SAMESUM_INLINE void take(const char* p, Seen&) { part[0] += widen(F::floats(p)); }
    SAMESUM_INLINE void join(const ColumnSum& other) { part[0] += other.part[0]; }
};

// Extremes of floats by their bits, as integers: of some that are not negative the order is that of the
// integers, of negative ones it is reversed. The greatest float is the greatest integer with a sign, or the
// least if all are negative; the least float the greatest integer without a sign if any is negative, else the
// least one. NaNs are the greatest of either kind: what is seen tells of them.
template <class Key, bool maximum>
struct ColumnExtreme {
    using Element = Key;
    using Vector = FullVector<Key>;
    using Bits = FullVector<std::make_unsigned_t<Key>>;
    static constexpr std::size_t size = sizeof(Key), step = sizeof(Vector) / size, parts = 2;
    struct Seen {
        Vector most = Vector{} + std::numeric_limits<Key>::min();
        Bits farthest = {};

        bool has_nan(Format format) const {
            const auto infinity = static_cast<Key>(infinity_bits(format));
            const auto negative =
                static_cast<std::make_unsigned_t<Key>>(infinity ^ std::numeric_limits<Key>::min());
            return any(most > infinity) || any(reinterpret_cast<Vector>(farthest > negative));
        }

      private:
        static bool any(Vector mask) { return any_bit(reinterpret_cast<Longs>(mask)); }
    };
    Vector part[parts];  // the first kind, and the least integers

    static SAMESUM_INLINE Vector greater(Vector a, Vector b) {
        if constexpr (maximum) return a > b ? a : b;
        const Bits x = reinterpret_cast<Bits>(a), y = reinterpret_cast<Bits>(b);
        return reinterpret_cast<Vector>(x > y ? x : y);
    }
    static SAMESUM_INLINE Vector lesser(Vector a, Vector b) { return a < b ? a : b; }

    static SAMESUM_INLINE void note_signed(Vector x, Seen& seen) {
        seen.most = seen.most > x ? seen.most : x;
    }
    static SAMESUM_INLINE void note_unsigned(Vector x, Seen& seen) {
        const Bits bits = reinterpret_cast<Bits>(x);
        seen.farthest = seen.farthest > bits ? seen.farthest : bits;
    }
    static SAMESUM_INLINE Vector seen_in(const char* p, Seen& seen) {
        const Vector x = loaded(load<Vector>(p));
        maximum ? note_unsigned(x, seen) : note_signed(x, seen);
        return x;
    }
    // Of the other kind, once all elements are taken.
    SAMESUM_INLINE void note(Seen& seen) const {
        maximum ? note_signed(part[0], seen) : note_unsigned(part[0], seen);
    }
    static SAMESUM_INLINE ColumnExtreme of(const char* p, Seen& seen) {
        const Vector x = seen_in(p, seen);
        return {{x, x}};
    }
    SAMESUM_INLINE void take(const char* p, Seen& seen) {
        const Vector x = seen_in(p, seen);
        join({{x, x}});
    }
    SAMESUM_INLINE void join(const ColumnExtreme& other) {
        part[0] = greater(part[0], other.part[0]);
        part[1] = lesser(part[1], other.part[1]);
    }
    SAMESUM_INLINE void put(char* to) const {
        const Vector result = maximum ? (part[0] < 0 ? part[1] : part[0]) : (part[0] < 0 ? part[0] : part[1]);
        store(to, result);
    }
};

}  // namespace samesum::SAMESUM_ISA
