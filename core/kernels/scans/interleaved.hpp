// Prefix sums of lines that lie element by element beside each other, a vector at a time as they lie: element
// i comes after element i - lines (W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986).
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/scans/column_scan.hpp"
#include "kernels/scans/prefixes.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

#if defined(__AVX2__)
// Where the elements of a permuted vector come from, as the instruction for it takes that: of elements of
// eight bytes, or of both halves of each.
struct TurnPlaces {
#if defined(__AVX512F__)
    using Place = std::int64_t;
#else
    using Place = std::int32_t;
#endif
    static constexpr std::size_t places = 8, each = places / width;

    Place moved[2 * places];           // by n places, from number places - n on
    Place last[width][places];         // of so many lines the last elements
    std::int64_t is_moved[2 * width];  // whether something comes there

    constexpr TurnPlaces() : moved{}, last{}, is_moved{} {
        for (std::size_t p = 0; p < 2 * places; ++p)
            moved[p] = static_cast<Place>(p) - static_cast<Place>(places);
        for (std::size_t lines = 1; lines < width; ++lines)
            for (std::size_t p = 0; p < places; ++p)
                last[lines][p] = static_cast<Place>(places + p - each * lines * (p / each / lines + 1));
        for (std::size_t j = width; j < 2 * width; ++j) is_moved[j] = -1;
    }
};
inline constexpr TurnPlaces turn_places;
#endif

inline constexpr int most_steps = std::countr_zero(width);

// What moves the elements of a vector on by turns of `lines` elements, fewer than `width`: by as many, by
// twice as many and so on, in so many steps.
template <int steps>
struct Turns {
#if defined(__AVX2__)
    explicit SAMESUM_INLINE Turns(std::size_t lines) : last_(load<Places>(turn_places.last[lines])) {
        for_each_of<steps>([&](std::size_t s) {
            const std::size_t distance = std::min(lines << s, width);
            from_[s] = load<Places>(turn_places.moved + TurnPlaces::places - TurnPlaces::each * distance);
            mask_[s] = load<Mask>(turn_places.is_moved + width - distance);
        });
    }
#else
    explicit SAMESUM_INLINE Turns(std::size_t) {}
#endif

    // The prefixes of the elements v of a vector after `sum`, which becomes what the next ones come after.
    SAMESUM_INLINE Doubles next(Doubles& sum, Doubles v) const {
        for_each_of<steps>([&](std::size_t s) { v += moved(s, v); });
        const Doubles prefixes = v + sum;
        sum = after(prefixes);
        return prefixes;
    }

    // For each element of the next vector the last one of its line.
    SAMESUM_INLINE Doubles after(Doubles v) const {
#if defined(__AVX2__)
        return permuted(v, last_);
#else
        return Doubles{} + v[width - 1];
#endif
    }

  private:
#if defined(__AVX512F__)
    using Places = __m512i;
    using Mask = Longs;
    static SAMESUM_INLINE Doubles permuted(Doubles v, Places places) {
        return reinterpret_cast<Doubles>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(v)));
    }
#elif defined(__AVX2__)
    using Places = __m256i;
    using Mask = Longs;
    static SAMESUM_INLINE Doubles permuted(Doubles v, Places places) {
        return reinterpret_cast<Doubles>(_mm256_permutevar8x32_ps(reinterpret_cast<__m256>(v), places));
    }
#endif

#if defined(__AVX2__)
    // Zeros come in.
    SAMESUM_INLINE Doubles moved(std::size_t s, Doubles v) const {
        return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(permuted(v, from_[s])) & mask_[s]);
    }

    Places last_, from_[steps];
    Mask mask_[steps];
#else
    static SAMESUM_INLINE Doubles moved(std::size_t, Doubles v) {
        static_assert(width == 2);
        return __builtin_shufflevector(Doubles{}, v, 1, 2);
    }
#endif
};

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
        if (r < whole) return F::floats(place(r));
        char padded[width * F::size];
        pad<F>(place(r), rest, padded);
        return F::floats(padded);
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
