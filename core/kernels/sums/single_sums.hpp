// Tier 1 of the sums of 16-bit floats into 16 bits: a few are added up in float32, those sums in float64
// lanes.
#pragma once

#include "kernels/sums/sum1.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/singles.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of some elements the sum, and for numbers of either sign a size: magnitudes of the sums on the way to it,
// added up.
template <class F, Map map>
struct SinglePart {
    static constexpr bool tracks_size = map == Map::itself;

    Doubles sum = {};
    Floats size = {};

    static SAMESUM_INLINE SinglePart joined(const SinglePart& a, const SinglePart& b) {
        return {plus(a.sum, b.sum), tracks_size ? a.size + b.size : Floats{}};
    }

    template <int distance>
    SAMESUM_INLINE SinglePart paired(const SinglePart& other) const {
        return joined({paired_low<distance>(sum, other.sum), paired_low<distance>(size, other.size)},
                      {paired_high<distance>(sum, other.sum), paired_high<distance>(size, other.size)});
    }

    // Where nothing left the range of float32 on the way. Float16 cannot; of bfloat16 the squares of numbers
    // below 2^-63 are rounded more, which a sum from 2^-100 on does not show.
    SAMESUM_INLINE Longs is_sure() const {
        if constexpr (F::format == Format::f16) return ~Longs{};
        if constexpr (tracks_size) return widen(size) < infinity;
        return (sum >= (map == Map::square ? 0x1p-100 : 0)) & (sum < infinity);
    }

    // Where additions left out so much of the size, or of the sum.
    SAMESUM_INLINE Doubles bound(double error) const {
        return (tracks_size ? widen(size) : sum) * (error * bound_slack);
    }
};

// Four vectors of floats as one term, added up in float32, as loops ask for them (kernels/loops/lanes.hpp).
template <class F, Map map>
struct SinglesOf {
    static constexpr std::size_t elements = singles, size = F::size, together = 4;
    static constexpr bool by_lines = true;
    struct Term {
        Singles first, sum;  // of the first two; of all
    };

    static SAMESUM_INLINE Term term(const char* p, std::ptrdiff_t distance) {
        const Singles first = pair(p, distance);
        return {first, first + pair(p + 2 * distance, distance)};
    }
    static SAMESUM_INLINE Term all(const char* p) { return alone(load_singles<F>(p)); }
    static SAMESUM_INLINE Term first(const char* p, std::size_t n) { return alone(first_singles<F>(p, n)); }
    static constexpr bool has_last = true;
    static SAMESUM_INLINE Term last(const char* p, std::size_t n) { return alone(last_singles<F>(p, n)); }

  private:
    static SAMESUM_INLINE Term alone(Singles x) {
        if constexpr (map == Map::magnitude) return {Singles{}, samesum::SAMESUM_ISA::magnitude(x)};
        return {Singles{}, map == Map::square ? x * x : x};
    }
    static SAMESUM_INLINE Singles pair(const char* p, std::ptrdiff_t distance) {
        const Singles a = load_singles<F>(p), b = load_singles<F>(p + distance);
        if constexpr (map == Map::magnitude)
            return samesum::SAMESUM_ISA::magnitude(a) + samesum::SAMESUM_ISA::magnitude(b);
        if constexpr (map != Map::square) return a + b;
        return has_fused ? fused(b, b, a * a) : a * a + b * b;
    }
};

// Sums of such terms.
template <class F, Map map>
struct SingleGroup {
    using Part = SinglePart<F, map>;
    using Load = SinglesOf<F, map>;

    // What additions in float32 leave out, in sizes: less than 2^-24 of a + b, of c + d and of both together.
    // The size has a + b and both together, and |c + d| is not more than the two. (Lemma 15)
    static constexpr double error = 2 * 0x1p-24;

    Doubles low = {}, high = {};
    Singles size = {};

    SAMESUM_INLINE void take(const typename Load::Term& term) {
        const Halves half = widen(term.sum);
        low = plus(low, half.low);
        high = plus(high, half.high);
        if constexpr (Part::tracks_size)
            size += samesum::SAMESUM_ISA::magnitude(term.first) + samesum::SAMESUM_ISA::magnitude(term.sum);
    }

    SAMESUM_INLINE void join(const SingleGroup& other) {
        low = plus(low, other.low);
        high = plus(high, other.high);
        if constexpr (Part::tracks_size) size += other.size;
    }

    SAMESUM_INLINE Part part() const {
        Floats part[2];
        __builtin_memcpy(part, &size, sizeof size);
        return Part::joined({low, part[0]}, {high, part[1]});
    }
};

template <class F, Map map>
struct SingleLaneSums {
    using Part = SinglePart<F, map>;
    using Tile = Sum1Tile;
    // Without float32, where that has over- or underflowed.
    using Usual = Sum1<F, map, false>;

    using Group = SingleGroup<F, map>;
    using Load = typename Group::Load;
    static constexpr std::size_t elements = Load::together * Load::elements;

    static constexpr std::size_t rows_per_flush = Usual::rows_per_flush, block = Usual::block;

    static SAMESUM_INLINE Part part_of_row(const char* p, std::size_t n) {
        Part all;
        for (std::size_t i = 0; i < n; i += block, p += block * F::size) {
            const std::size_t now = n - i < block ? n - i : block;
            all = Part::joined(all, state_of_run<Group, Load, 2>(p, now).part());
        }
        return all;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        // An element goes through additions of groups, of blocks and of what is left of a group.
        const std::size_t additions = (n < block ? n : block) / elements + n / block + elements / width;
        const double error = Group::error + error_of(additions);
        each_fold_of_rows(
            p, row_stride, rows, [n](const char* row) SAMESUM_INLINED { return part_of_row(row, n); },
            [&](std::size_t r, const Part& all) SAMESUM_INLINED {
                if (is_unsure(all, rows - r))
                    Usual::lanes(tile, j + r, p + static_cast<std::ptrdiff_t>(r) * row_stride, n, row_stride,
                                 rows - r < width ? rows - r : width);
                else
                    t.add(j + r, all.sum, all.bound(error));
            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < n + width; j += width) store(t.block + j, Doubles{});
            add_rows_of_columns<Load>(
                p, row_stride, now, n,
                [&](std::size_t j) SAMESUM_INLINED {
                    return Group{load<Doubles>(t.block + j), load<Doubles>(t.block + j + width)};
                },
                [&](std::size_t j, const Group& all) SAMESUM_INLINED {
                    store(t.block + j, all.low);
                    store(t.block + j + width, all.high);
                });
            flush(t, p, row_stride, now, n);
        }
    }

    static constexpr Method method() {
        // A column in doubt is read a cache line for each element: none of these may be more than a few in
        // 10^4.
        constexpr bool seldom = F::format == Format::bf16 && map != Map::itself;
        constexpr auto of_columns = seldom ? columns : Usual::columns;
        return {tile_columns, Tile::init, lanes, of_columns, Tile::merge_all, Tile::finish_interval, true};
    }

  private:
    // Any of the first n sums.
    static SAMESUM_INLINE bool is_unsure(const Part& part, std::size_t n) {
        Longs unsure = ~part.is_sure();
        for (std::size_t k = n; k < width; ++k) unsure[k] = 0;
        return any(unsure);
    }

    static double error_of(std::size_t additions) {
        constexpr std::size_t others = 8;  // of sums to each other
        return static_cast<double>(additions + others) * unit_roundoff;
    }

    // The sums of these rows join the totals.
    static void flush(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        const double error = Group::error + error_of(rows);
        for (std::size_t j = 0; j < n; j += singles) {
            const Part low{load<Doubles>(t.block + j), {}}, high{load<Doubles>(t.block + j + width), {}};
            if (is_unsure(low, n - j) || (n > j + width && is_unsure(high, n - j - width))) {
                Usual::add_rows(t, j, x + j * F::size, row_stride, rows, n - j);
                continue;
            }
            t.add(j, low.sum, low.bound(error));
            if (n > j + width) t.add(j + width, high.sum, high.bound(error));
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
