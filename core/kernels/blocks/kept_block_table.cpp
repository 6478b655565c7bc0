// Exact sums of blocks that are kept: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/blocks/kept_grids.hpp"
#include "kernels/integers/split_sums.hpp"
#include "kernels/sums/exponent_spread.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of elements of a narrow format, or of their magnitudes, that are exact in double: those of float16
// always, others by the least and the greatest magnitude.
struct NoSpread {
    SAMESUM_INLINE void take(Floats) {}
};

// Of a vector of lanes. They are integers in units of middle's last place once `middle` is added.
template <class F, Map map>
struct PlainSums {
    static_assert(F::format != Format::f64 && map != Map::square);

    static constexpr bool is_certain = F::format == Format::f16;
    static constexpr std::size_t parts = 1;
    using Spread = std::conditional_t<is_certain, NoSpread, ExponentSpread<F>>;
    // Elements of float16 are multiples of 2^-24 below 2^16.
    static constexpr std::int32_t certain_exponent = 28;

    Longs middle;
    Doubles sum;
    Spread spread;

    static SAMESUM_INLINE PlainSums at(Longs middle) { return {middle, Doubles{}, Spread{}}; }
    static SAMESUM_INLINE Doubles mapped(Doubles x) {
        return map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x;
    }

    SAMESUM_INLINE void take(const char* p) {
        const Floats x = F::floats(p);
        spread.take(x);
        sum = plus(sum, widen(map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x));
    }

    // Some bit, unless the sum of so many elements is exact. (Lemma 14)
    SAMESUM_INLINE Longs failure(std::size_t count = kept_additions) const {
        if constexpr (is_certain) {
            return ~(sum - sum == 0);
        } else {
            constexpr double to_least =
                1 / static_cast<double>(std::uint64_t{1} << (53 - ExponentSpread<F>::bits));
            const Doubles at = reinterpret_cast<Doubles>(middle), most = at * (1 / 3.0 * (1 - 0x1p-50));
            // The least subnormal at least, which all are multiples of.
            const Words limit = reinterpret_cast<Words>(narrowed(at * to_least + 0x1p-149)) << 1;
            const Ints is_below = reinterpret_cast<Ints>(spread.least < limit - 1);
            return ~(spread.most_of(count) < most) | __builtin_convertvector(is_below, Longs);
        }
    }
    SAMESUM_INLINE Longs part(std::size_t) const {
        return units(sum + reinterpret_cast<Doubles>(middle), middle);
    }
};

template <class F>
SAMESUM_INLINE ExponentSpread<F> joined(const ExponentSpread<F>& a, const ExponentSpread<F>& b) {
    return {a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest};
}

// The exponents with which the sums of lanes are integers; none if least > most.
struct ExponentRange {
    std::int32_t least, most;

    std::int32_t chosen(std::int32_t before) const {
        if (least <= before && before <= most) return before;
        return least + 2 < most ? least + 2 : most;
    }
};

template <class F>
SAMESUM_INLINE ExponentRange exponents_of(const ExponentSpread<F>& lanes) {
    const ExponentSpread<F> all = lanes.of_all();
    const auto exponent = [](std::uint32_t doubled) {
        const std::int32_t field = static_cast<std::int32_t>(doubled >> 24);
        return (field > 0 ? field : 1) - 127;
    };
    constexpr std::int32_t additions = __builtin_ctzll(kept_additions), special = 128;
    const std::int32_t greatest = exponent(all.greatest[0]);
    if (greatest == special) return {1, 0};
    return {greatest + additions + 2,
            all.greatest[0] == 0 ? special + 53 : exponent(all.least[0] + 1) + 53 - ExponentSpread<F>::bits};
}

template <class F, Map map>
struct KeptSum {
    static constexpr bool is_plain = F::format != Format::f64 && map != Map::square;
    using Gridded = GriddedSums<F, map>;
    template <bool plain, class = void>
    struct Choice {
        using Sums = Gridded;
    };
    template <class Unused>
    struct Choice<true, Unused> {
        using Sums = PlainSums<F, map>;
    };
    using Sums = typename Choice<is_plain>::Sums;

    static constexpr std::size_t chains = Gridded::has_low_words ? 2 : 4, step = chains * width,
                                 most = kept_additions * step, sampled_rows = 8,
                                 most_columns = is_plain ? tile_columns : tile_columns / 2;

    template <class S>
    static SAMESUM_INLINE void take_some(S& sums, const char* p, std::size_t n) {
        if (n >= width) return sums.take(p);
        char padded[width * F::size];
        pad<F>(p, n, padded);
        sums.take(padded);
    }

    template <class S>
    static SAMESUM_INLINE void take_run(S (&sums)[chains], const char* p, std::size_t n) {
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch_run<step * F::size>(p);
            for_each_of<chains>([&](std::size_t k) { sums[k].take(p + k * width * F::size); });
        }
        for (std::size_t k = 0; i < n; i += width, p += width * F::size) take_some(sums[k++], p, n - i);
    }

    template <class S>
    static SAMESUM_INLINE std::int64_t part(const S (&sums)[chains], std::size_t i) {
        Longs all = {};
        for (const S& each : sums) all += each.part(i);
        return total(all);
    }
    static SAMESUM_INLINE std::int64_t total(Longs v) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum += v[k];
        return sum;
    }

    template <std::size_t grids>
    static bool add_gridded(KeptPart& sum, const char* p, std::size_t n) {
        using Gridded = GriddedSums<F, map, grids>;
        const Longs middle = Longs{} + middle_of(static_cast<std::int64_t>(sum.exponent));
        Gridded sums[chains];
        for (Gridded& each : sums) each = Gridded::at(middle);
        take_run(sums, p, n);
        Longs failure = {};
        for (const Gridded& each : sums) failure |= each.failure();
        if (any_bit(failure)) return false;
        for (std::size_t i = 0; i < Gridded::parts; ++i) {
            const std::size_t grid = i % grids, low = i / grids;
            (grid < 2 ? sum.part[2 * low + grid] : sum.deep[low]) = part(sums, i);
        }
        return true;
    }

    static bool add_plain(KeptPart& sum, const char* p, std::size_t n) {
        if constexpr (!is_plain) {
            return false;
        } else {
            Sums sums[chains];
            for (Sums& each : sums) each = Sums::at(Longs{});
            take_run(sums, p, n);
            if constexpr (Sums::is_certain) {
                Longs failure = {};
                for (const Sums& each : sums) failure |= each.failure();
                if (any_bit(failure)) return false;
                sum.exponent = Sums::certain_exponent;
            } else {
                const ExponentRange range = exponents_of(
                    joined(joined(sums[0].spread, sums[1].spread), joined(sums[2].spread, sums[3].spread)));
                if (range.least > range.most) return false;
                sum.exponent = range.chosen(sum.exponent);
            }
            for (Sums& each : sums)
                each.middle = Longs{} + middle_of(static_cast<std::int64_t>(sum.exponent));
            sum.part[0] = part(sums, 0);
            return true;
        }
    }

    static SAMESUM_INLINE Doubles size_at(const char* p, std::size_t n) {
        char padded[width * F::size];
        if (n < width) pad<F>(p, n, padded);
        return samesum::SAMESUM_ISA::magnitude(Gridded::mapped(F::doubles(n < width ? padded : p)));
    }

    // What a lane comes to if the other elements are like the first.
    static double expected_size(const char* p, std::size_t n) {
        Doubles sizes = {};
        std::size_t seen = 0;
        for (; seen < n && seen < step; seen += width) sizes += size_at(p + seen * F::size, n - seen);
        double size = 0;
        for (std::size_t k = 0; k < width; ++k) size += sizes[k];
        return size * static_cast<double>(n / step + 1) / static_cast<double>(step < n ? step : n);
    }

    static std::size_t lane(KeptPart& sum, const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        n = n < most ? n : most;
        if (add_plain(sum, p, n)) return n;
        sum.exponent = kept_exponent(expected_size(p, n), sum.exponent);
        if (sum.exponent == no_exponent) return 0;
        return add_gridded<2>(sum, p, n) || add_gridded<3>(sum, p, n) ? n : 0;
    }

    static void sizes(const void* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n, double* to) {
        const std::size_t some = rows < sampled_rows ? rows : sampled_rows;
        const double share = static_cast<double>(rows) / static_cast<double>(some);
        for (std::size_t j = 0; j < n; j += width) {
            const char* p = static_cast<const char*>(x) + j * F::size;
            Doubles sizes = {};
            for (std::size_t r = 0; r < some; ++r, p += row_stride) sizes += size_at(p, n - j);
            store(to + j, sizes * share);
        }
    }

    // The sums of a vector of columns each.
    struct Columns {
        Sums sums[most_columns / width + 1];

        template <std::size_t rows>
        SAMESUM_INLINE void take_rows(const char* x, std::ptrdiff_t row_stride, std::size_t n) {
            each_stretch<rows, F::size>(x, row_stride, n,
                                        [&](std::size_t j, const char* p, std::size_t some) {
                                            for (std::size_t k = 0; k < some; k += width) {
                                                Sums all = sums[(j + k) / width];
                                                const char* from = p + k * F::size;
                                                for (std::size_t r = 0; r < rows; ++r, from += row_stride)
                                                    take_some(all, from, some - k);
                                                sums[(j + k) / width] = all;
                                            }
                                        });
        }
    };

    static std::size_t columns(const KeptColumns& sums, const void* x, std::ptrdiff_t row_stride,
                               std::size_t rows, std::size_t n) {
        Columns all;
        for (std::size_t j = 0; j < n; j += width) {
            Longs exponent = {};
            for (std::size_t k = 0; k < width && j + k < n; ++k) exponent[k] = sums.exponent[j + k];
            all.sums[j / width] = Sums::at(middle_of(exponent));
        }
        const char* p = static_cast<const char*>(x);
        std::size_t r = 0, failed = 0;
        for (; r + 8 <= rows; r += 8, p += 8 * row_stride) all.template take_rows<8>(p, row_stride, n);
        for (; r < rows; ++r, p += row_stride) all.template take_rows<1>(p, row_stride, n);
        for (std::size_t j = 0; j < n; j += width)
            failed += put_columns(all.sums[j / width], sums, j, n - j < width ? n - j : width, rows);
        return failed;
    }

    // How many of these n columns fail.
    static std::size_t put_columns(const Sums& from, const KeptColumns& to, std::size_t j, std::size_t n,
                                   std::size_t rows) {
        const Longs failed = from.failure(rows) != 0;
        std::size_t count = 0;
        for (std::size_t k = 0; k < n; ++k) {
            to.failed[j + k] = failed[k] != 0;
            count += failed[k] != 0;
        }
        for (std::size_t i = 0; i < Sums::parts; ++i) {
            const Longs part = from.part(i) & ~failed;
            std::int64_t some[width];
            std::memcpy(some, to.part[i] + j, n * sizeof some[0]);
            store(some, load<Longs>(some) + part);
            std::memcpy(to.part[i] + j, some, n * sizeof some[0]);
        }
        return count;
    }

    static constexpr KeptBlock block() { return {lane, sizes, columns, certain()}; }
    static constexpr std::int32_t certain() {
        if constexpr (is_plain && F::format == Format::f16)
            return Sums::certain_exponent;
        else
            return no_exponent;
    }
};

// take(i, floats) for vectors of n elements from number i on; zeros follow the last one.
template <class F, class Take>
SAMESUM_INLINE void each_floats(const void* x, std::size_t n, const Take& take) {
    const char* p = static_cast<const char*>(x);
    std::size_t i = 0;
    for (; i + width <= n; i += width) take(i, F::floats(p + i * F::size));
    if (i == n) return;
    char padded[width * F::size];
    pad<F>(p + i * F::size, n - i, padded);
    take(i, F::floats(padded));
}

template <class F>
double split_about(const void* x, std::size_t n, double anchor, double* multiple, double* rest) {
    Words least = ~Words{};  // bits of magnitudes less one, so that zero is the greatest
    each_floats<F>(x, n, [&](std::size_t i, Floats f) SAMESUM_INLINED {
        const Words size = (reinterpret_cast<Words>(f) & 0x7fffffff) - 1;
        least = size < least ? size : least;
        const Doubles v = widen(f), m = (v + anchor) - anchor;
        store(multiple + i, m);
        store(rest + i, v - m);
    });
    std::uint32_t all = ~std::uint32_t{0};
    for (std::size_t k = 0; k < width; ++k) all = least[k] < all ? least[k] : all;
    return all == ~std::uint32_t{0} ? infinity : static_cast<double>(__builtin_bit_cast(float, all + 1));
}

static void words_of_sum(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    const SplitTile& t = *static_cast<const SplitTile*>(tile);
    const __int128 total = static_cast<__int128>(t.high[j]) * (std::int64_t{1} << 32) + t.low[j];
    words[0] = static_cast<std::uint64_t>(total);
    words[1] = static_cast<std::uint64_t>(total >> 64);
    words[2] = static_cast<std::uint64_t>(total >> 127);
}

template <class F>
constexpr void fill(KeptBlock (&row)[3]) {
    row[0] = KeptSum<F, Map::itself>::block();
    row[1] = KeptSum<F, Map::magnitude>::block();
    row[2] = KeptSum<F, Map::square>::block();
}

constexpr KeptBlocks all_kept_blocks() {
    KeptBlocks all{};
    fill<Float16>(all.block[0]);
    fill<Bfloat16>(all.block[1]);
    fill<Float32>(all.block[2]);
    fill<Float64>(all.block[3]);
    all.split[0] = split_about<Float16>;
    all.split[1] = split_about<Bfloat16>;
    all.split[2] = split_about<Float32>;
    const auto words_of = [&all](Format format) -> auto& {
        return all.split_words[static_cast<std::size_t>(format) - static_cast<std::size_t>(Format::i8)];
    };
    words_of(Format::i32)[2] = words_of_sum;
    words_of(Format::u32)[2] = words_of_sum;
    auto& wide = words_of(Format::i64);
    wide[0] = words_of_sum;
    wide[1] = words_of_sum;
    auto& unsigned_wide = words_of(Format::u64);
    unsigned_wide[0] = words_of_sum;
    unsigned_wide[1] = words_of_sum;
    return all;
}

extern const KeptBlocks kept_blocks;
const KeptBlocks kept_blocks = all_kept_blocks();

}  // namespace samesum::SAMESUM_ISA
