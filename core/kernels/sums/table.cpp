// The methods of one instruction set; compiled once for each, with SAMESUM_ISA naming it.
#include <limits>

#include "arithmetic/rounding.hpp"
#include "kernels/integers/modular.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/sums/single_sums.hpp"
#include "kernels/sums/sum1.hpp"
#include "kernels/sums/sum2.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of float64 that need no addition: of sets with infinities or NaNs, and the squares of zeros alone,
// which other sums cannot tell from squares that underflow. They fail for all other sets.

// Sums of what is not finite, and whether there is anything but zeros.
template <bool signs_count>
struct SpecialTotal {
    Doubles total = {};  // of infinities and NaNs: 0 if there are none
    Longs any = {};      // bits of all elements but for signs

    static SAMESUM_INLINE SpecialTotal at(const double* total, const std::int64_t* any) {
        return {load<Doubles>(total), load<Longs>(any)};
    }
    SAMESUM_INLINE void put(double* total_to, std::int64_t* any_to) const {
        store(total_to, total);
        store(any_to, any);
    }

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles magnitude = samesum::SAMESUM_ISA::magnitude(x), none = {};
        total += magnitude < infinity ? none : signs_count ? x : magnitude;
        any |= reinterpret_cast<Longs>(magnitude);
    }
    SAMESUM_INLINE void join(const SpecialTotal& other) {
        total += other.total;
        any |= other.any;
    }
    template <int distance>
    SAMESUM_INLINE SpecialTotal paired(const SpecialTotal& other) const {
        SpecialTotal both{paired_low<distance>(total, other.total), paired_low<distance>(any, other.any)};
        both.join({paired_high<distance>(total, other.total), paired_high<distance>(any, other.any)});
        return both;
    }
};

struct SpecialTile {
    double total[tile_pitch];
    std::int64_t any[tile_pitch];

    static SpecialTile& of(void* tile) {
        static_assert(sizeof(SpecialTile) <= tile_bytes);
        return *static_cast<SpecialTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n + width; ++j) of(tile).total[j] = 0, of(tile).any[j] = 0;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        of(tile).total[j] += static_cast<const SpecialTile*>(from)->total[i];
        of(tile).any[j] |= static_cast<const SpecialTile*>(from)->any[i];
    }
    static constexpr auto merge_all = each_merge<merge>;

    static double finalized(double total, Finalize how) {
        if (how != Finalize::logarithm || total > 0) return total;
        return total == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
    }

    template <bool zeros_count>
    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const SpecialTile& t = of(tile);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            failed[j] = t.total[j] == 0 && (!zeros_count || t.any[j] != 0);
            failures += failed[j];
            if (!failed[j])
                store_bits(out, j, round_bits(finalized(t.total[j], how.finalize), how.format),
                           size_of(how.format));
        }
        return failures;
    }
};

template <Map map>
struct SpecialSums {
    using Tile = SpecialTile;
    using Found = SpecialTotal<map == Map::itself>;
    using Load = DoublesOf<Float64>;

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = Tile::of(tile);
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return state_of_run<Found, Load>(p, n); },
            [&](std::size_t r, Found all) SAMESUM_INLINED {
                all.join(Found::at(t.total + j + r, t.any + j + r));
                all.put(t.total + j + r, t.any + j + r);
            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        add_rows_of_columns<Load>(
            static_cast<const char*>(x), row_stride, rows, n,
            [&](std::size_t j) SAMESUM_INLINED { return Found::at(t.total + j, t.any + j); },
            [&](std::size_t j, const Found& all) SAMESUM_INLINED { all.put(t.total + j, t.any + j); });
    }

    // Those of magnitudes and of squares are the same.
    static constexpr Method method() {
        using Of = SpecialSums<map == Map::itself ? Map::itself : Map::magnitude>;
        return {tile_columns, Tile::init,      Of::lanes,
                Of::columns,  Tile::merge_all, Tile::finish<map == Map::square>};
    }
};

// Sums of elements of narrow formats in the double-word loops of float64, which they are written out for.

// How rows of elements of `size` bytes are written out, each filled up with zeros to whole vectors.
struct Widening {
    std::size_t size;
    void (*fill)(double* to, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n);
};

template <class Load>
void fill_widened(double* to, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
    for (std::size_t r = 0; r < rows; ++r, x += row_stride) {
        const char* p = x;
        std::size_t left = n;
        for (; left >= width; left -= width, p += width * Load::size, to += width) {
            prefetch_run<width * Load::size>(p);
            store(to, Load::all(p));
        }
        if (left == 0) continue;
        store(to, Load::first(p, left));
        to += width;
    }
}

// Zeros change neither sums nor bounds.
struct WidenedLoops {
    using Words = Sum2<Float64, Map::itself>;
    // They stay in the first cache.
    static constexpr std::size_t most = 2048, most_columns = 64;

    static void lanes(const Widening& widening, void* tile, std::size_t j, const void* x, std::size_t n,
                      std::ptrdiff_t row_stride, std::size_t rows) {
        alignas(64) double element[most];
        for (std::size_t i = 0; i < n; i += most) {
            const std::size_t here = n - i < most ? n - i : most, pitch = padded(here), fit = most / pitch;
            const std::size_t at_once = fit < width ? fit : fit / width * width;
            const char* p = static_cast<const char*>(x) + i * widening.size;
            for (std::size_t r = 0; r < rows; r += at_once) {
                const std::size_t now = rows - r < at_once ? rows - r : at_once;
                widening.fill(element, p, row_stride, now, here);
                Words::lanes(tile, j + r, element, pitch, static_cast<std::ptrdiff_t>(pitch * sizeof(double)),
                             now);
                p += static_cast<std::ptrdiff_t>(now) * row_stride;
            }
        }
    }

    static void columns(const Widening& widening, void* tile, const void* x, std::ptrdiff_t row_stride,
                        std::size_t rows, std::size_t n) {
        alignas(64) double element[most];
        for (std::size_t j = 0; j < n; j += most_columns) {
            const std::size_t here = n - j < most_columns ? n - j : most_columns, pitch = padded(here);
            const char* p = static_cast<const char*>(x) + j * widening.size;
            for (std::size_t r = 0; r < rows; r += most / pitch) {
                const std::size_t now = rows - r < most / pitch ? rows - r : most / pitch;
                widening.fill(element, p, row_stride, now, here);
                Words::columns_from(*static_cast<Sum2Tile*>(tile), j, reinterpret_cast<const char*>(element),
                                    static_cast<std::ptrdiff_t>(pitch * sizeof(double)), now, pitch);
                p += static_cast<std::ptrdiff_t>(now) * row_stride;
            }
        }
    }
};

// `Load` makes vectors of doubles.
template <class Load>
constexpr Widening widening_of = {Load::size, fill_widened<Load>};

template <class Load>
struct WidenedSums {
    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        WidenedLoops::lanes(widening_of<Load>, tile, j, x, n, row_stride, rows);
    }
    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        WidenedLoops::columns(widening_of<Load>, tile, x, row_stride, rows, n);
    }

    static constexpr Method method() {
        return {tile_columns, Sum2Tile::init, lanes, columns, Sum2Tile::merge_all, Sum2Tile::finish, true};
    }
};

template <class F, Map map>
constexpr void fill_sum1(Method (&row)[3]) {
    const auto of = [&](Lanes lanes) -> Method& { return row[static_cast<std::size_t>(lanes)]; };
    of(Lanes::usual) = Sum1<F, map, false>::method();
    of(Lanes::few) = Sum1<F, map, map != Map::square>::method();
    if constexpr (F::size == 2) of(Lanes::singles) = SingleLaneSums<F, map>::method();
}

template <class F>
constexpr void fill_sum1(Method (&row)[3][3]) {
    fill_sum1<F, Map::itself>(row[0]);
    fill_sum1<F, Map::magnitude>(row[1]);
    fill_sum1<F, Map::square>(row[2]);
}

template <class F>
constexpr void fill_sum2(Method (&row)[3]) {
    row[0] = WidenedSums<TermsOf<F, Map::itself>>::method();
    row[1] = WidenedSums<TermsOf<F, Map::magnitude>>::method();
    row[2] = WidenedSums<TermsOf<F, Map::square>>::method();
}

template <class Integer, class Total>
constexpr void fill_modular(Method (&row)[3]) {
    row[0] = ModularSumOf<Integer, Total, Map::itself>::method();
    row[1] = ModularSumOf<Integer, Total, Map::magnitude>::method();
    row[2] = ModularSumOf<Integer, Total, Map::square>::method();
}

template <class Integer, Format format>
constexpr void fill_integer(Methods& m) {
    Method(&row)[2][3] = m.modular[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    fill_modular<Integer, std::make_unsigned_t<Integer>>(row[0]);
    fill_modular<Integer, std::uint64_t>(row[1]);
}

constexpr Methods all_methods() {
    Methods m{};
    fill_sum1<Float16>(m.sum1[0]);
    fill_sum1<Bfloat16>(m.sum1[1]);
    fill_sum1<Float32>(m.sum1[2]);
    fill_sum2<Float16>(m.sum2[0]);
    fill_sum2<Bfloat16>(m.sum2[1]);
    fill_sum2<Float32>(m.sum2[2]);
    m.sum2[3][0] = Sum2<Float64, Map::itself>::method();
    m.sum2[3][1] = Sum2<Float64, Map::magnitude>::method();
    m.sum2[3][2] = Sum2<Float64, Map::square>::method();
    m.sum2_few[0] = Sum2<Float64, Map::itself, true>::method();
    m.sum2_few[1] = Sum2<Float64, Map::magnitude, true>::method();
    m.special[0] = SpecialSums<Map::itself>::method();
    m.special[1] = SpecialSums<Map::magnitude>::method();
    m.special[2] = SpecialSums<Map::square>::method();
    fill_integer<std::int8_t, Format::i8>(m);
    fill_integer<std::int16_t, Format::i16>(m);
    fill_integer<std::int32_t, Format::i32>(m);
    fill_integer<std::int64_t, Format::i64>(m);
    fill_integer<std::uint8_t, Format::u8>(m);
    fill_integer<std::uint16_t, Format::u16>(m);
    fill_integer<std::uint32_t, Format::u32>(m);
    fill_integer<std::uint64_t, Format::u64>(m);
    return m;
}

extern const Methods methods;
const Methods methods = all_methods();

}  // namespace samesum::SAMESUM_ISA
