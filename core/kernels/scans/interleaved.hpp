// Prefix sums of lines that lie element by element beside each other, a vector at a time as they lie: element
// i comes after element i - lines (W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986).
#pragma once

#include <type_traits>

#include "kernels/scans/column_scan.hpp"
#include "kernels/scans/prefixes.hpp"
#include "kernels/vectors/turns.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Vectors of such elements, as what a strip of columns (kernels/scans/prefixes.hpp) has for rows. More steps
// than it takes move nothing.
template <class F, Format format, int steps>
struct InterleavedRows {
    const char* const x;
    char* const out;
    const std::size_t whole, rest, length;  // vectors, elements after them, and elements of a line
    const Turns<steps> turns;

    explicit SAMESUM_INLINE InterleavedRows(const InterleavedLines& all)
        : x(all.x),
          out(all.out),
          whole(all.lines * all.n / width),
          rest(all.lines * all.n % width),
          length(all.n),
          turns(all.lines) {}
    SAMESUM_INLINE std::size_t count() const { return whole + (rest > 0 ? 1 : 0); }
    SAMESUM_INLINE std::size_t terms() const { return length; }
    SAMESUM_INLINE Doubles at(std::size_t r) const {
        return r < whole ? F::doubles(place(r)) : elements<F>(place(r), rest);
    }
    SAMESUM_INLINE Floats floats(std::size_t r) const {
        return r < whole ? F::floats(place(r)) : some_floats<F>(place(r), rest);
    }
    SAMESUM_INLINE void put(std::size_t r, typename Rounding<format>::Bits bits) const {
        char* const p = out + r * width * size_of(format);
        __builtin_prefetch(place(r) + prefetch_distances.tile);
        __builtin_prefetch(p + prefetch_distances.tile, 1);
        store_prefixes<format>(p, 0, r < whole ? width : rest, bits);
    }
    SAMESUM_INLINE Doubles next(Doubles& sum, Doubles v) const { return turns.next(sum, v); }
    SAMESUM_INLINE Doubles after(Doubles v) const { return turns.after(v); }
    // A line's elements are in all places: what was seen of all lines is said of each.
    template <class Seen>
    static SAMESUM_INLINE Seen joined(const Seen& seen) {
        if constexpr (std::is_same_v<Seen, UnsignedLongs>) {
            return everywhere(seen, [](UnsignedLongs a, UnsignedLongs b) { return a < b ? a : b; });
        } else if constexpr (std::is_same_v<Seen, Doubles>) {
            return Doubles{} + greatest_of(seen);
        } else {
            return seen.of_all();
        }
    }

  private:
    SAMESUM_INLINE const char* place(std::size_t r) const { return x + r * width * F::size; }
};

// Into the elements' own format.
template <class Float>
struct InterleavedScan {
    using Columns = ColumnScan<Float>;
    using State = typename Columns::State;
    static constexpr Format format = Float::format;

    // False, and nothing in the tile has changed, unless all prefixes are certain.
    static __attribute__((noinline)) bool scan(void* tile, const InterleavedLines& all) {
        if (2 * all.lines >= width) return scan_in<1>(tile, all);
        if constexpr (width >= 4) {
            if (4 * all.lines >= width) return scan_in<2>(tile, all);
        }
        if constexpr (width >= 8) return scan_in<3>(tile, all);
        __builtin_unreachable();
    }

    // What was summed so far of the first n lines.
    static void carries(const void* tile, Carry* carries, std::size_t n) {
        const Sums sums = Columns::load_state(*static_cast<const SumTile*>(tile), 0).total();
        for (std::size_t k = 0; k < n; ++k) carries[k].sum = {sums.hi[k], sums.lo[k], sums.bound[k]};
    }

  private:
    template <int steps>
    static bool scan_in(void* tile, const InterleavedLines& all) {
        SumTile& t = *static_cast<SumTile*>(tile);
        State state = Columns::load_state(t, 0);
        const InterleavedRows<Float, format, steps> rows(all);
        const Outcome found = state.template advance_likewise<format>(rows);
        if (found == Outcome::off) return scan_elsewhere(t, all);
        if (found == Outcome::certain) Columns::store_state(t, 0, state);
        return found == Outcome::certain;
    }

    // The same for any number of lines.
    static __attribute__((noinline)) bool scan_elsewhere(SumTile& t, const InterleavedLines& all) {
        State state = Columns::load_state(t, 0);
        const InterleavedRows<Float, format, most_steps> rows(all);
        if (state.template advance_elsewhere<format>(rows) != Outcome::certain) return false;
        Columns::store_state(t, 0, state);
        return true;
    }
};

}  // namespace samesum::SAMESUM_ISA
