// Sums of float64 that leave its range, of squares and of the numbers themselves: large, middle and small
// elements are added up apart, the large and the small ones times a power of two (J. L. Blue, "A portable
// Fortran program to find the Euclidean norm of a vector", 1978).
#pragma once

#include <cmath>
#include <initializer_list>
#include <optional>

#include "arithmetic/rounding.hpp"
#include "kernels/sums/sum2.hpp"
#include "methods/certificates.hpp"

namespace samesum::SAMESUM_ISA {

namespace ranges {

// The squares of what lies between these, and what they are rounded by, are ordinary numbers.
constexpr double least_large = 0x1p480, least_middle = 0x1p-480;
constexpr int large_octaves = -600, small_octaves = 700;
constexpr double large_scale = 0x1p-600, small_scale = 0x1p700;

struct Large : Float64 {
    // NaNs, too.
    static SAMESUM_INLINE Doubles doubles(const char* p) {
        const Doubles v = Float64::doubles(p), none = {};
        return magnitude(v) < least_large ? none : v * large_scale;
    }
};

struct Middle : Float64 {
    static SAMESUM_INLINE Doubles doubles(const char* p) {
        const Doubles v = Float64::doubles(p), size = magnitude(v), none = {};
        return (size >= least_middle) & (size < least_large) ? v : none;
    }
};

struct Small : Float64 {
    // Subnormal numbers by their bits: as factors they take processors long.
    static SAMESUM_INLINE Doubles doubles(const char* p) {
        constexpr double least_normal = 0x1p-1022;
        const Longs all = load<Longs>(p), bits = all & INT64_MAX, normal = bits >> 52 != 0, no_bits = {};
        const Doubles v = reinterpret_cast<Doubles>(bits), none = {};
        const Doubles units =
            reinterpret_cast<Doubles>((normal ? no_bits : bits) | __builtin_bit_cast(std::int64_t, 0x1p52));
        const Doubles size = normal ? ((v < least_middle) & normal ? v : none) * small_scale
                                    : (units - 0x1p52) * (small_scale * 0x1p-52 * least_normal);
        return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(size) | (all ^ bits));
    }
};

}  // namespace ranges

template <Map map>
class ScaledSums {
    enum Range { large, middle, small };
    static constexpr bool is_square = map == Map::square;
    static constexpr std::size_t columns_of_tile = tile_columns / 2, pitch = columns_of_tile + 24;

    struct Tile {
        double hi[3][pitch], lo[3][pitch], bound[3][pitch];

        Sum at(Range range, std::size_t j) const { return {hi[range][j], lo[range][j], bound[range][j]}; }
        void add(Range range, std::size_t j, const Sum& part) {
            Sum total = at(range, j);
            samesum::add(total, part);
            hi[range][j] = total.hi;
            lo[range][j] = total.lo;
            bound[range][j] = total.bound;
        }
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    // add(sums, tile of them) for n columns from number j on.
    template <class Part, class Add>
    static __attribute__((noinline)) void add_part(Tile& t, Range range, std::size_t j, std::size_t n,
                                                   const Add& add) {
        using Sums = Sum2<Part, map, !is_square>;
        typename Sums::Tile part;
        Sums::Tile::init(&part, n);
        add(Sums{}, &part);
        for (std::size_t k = 0; k < n; ++k) t.add(range, j + k, {part.hi[k], part.lo[k], part.bound[k]});
    }

    // Which ranges some rows have numbers in.
    struct Present {
        Longs in[3];

        void look(Doubles x) {
            const Doubles size = samesum::SAMESUM_ISA::magnitude(x);
            const Longs is_large = ~(size < ranges::least_large), is_middle = size >= ranges::least_middle;
            in[large] |= is_large;
            in[middle] |= is_middle & ~is_large;
            in[small] |= ~is_middle & (size != 0);
        }

        static Present of(const char* p, std::size_t n, std::ptrdiff_t row_stride, std::size_t rows) {
            Present present = {};
            for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
                std::size_t i = 0;
                for (; i + width <= n; i += width) present.look(load<Doubles>(p + i * sizeof(double)));
                if (i == n) continue;
                char padded[width * sizeof(double)];
                pad<Float64>(p + i * sizeof(double), n - i, padded);
                present.look(load<Doubles>(padded));
            }
            return present;
        }
    };

    template <class Add>
    static void add_parts(void* tile, std::size_t j, std::size_t n, const Present& present, const Add& add) {
        Tile& t = *static_cast<Tile*>(tile);
        if (any(present.in[large])) add_part<ranges::Large>(t, large, j, n, add);
        if (any(present.in[middle])) add_part<ranges::Middle>(t, middle, j, n, add);
        if (any(present.in[small])) add_part<ranges::Small>(t, small, j, n, add);
    }

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t range = 0; range < 3; ++range)
            for (std::size_t j = 0; j < n; ++j) t.hi[range][j] = t.lo[range][j] = t.bound[range][j] = 0;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += width, p += static_cast<std::ptrdiff_t>(width) * row_stride) {
            const std::size_t some = rows - r < width ? rows - r : width;
            add_parts(tile, j + r, some, Present::of(p, n, row_stride, some),
                      [&]<class Sums>(Sums, void* part) { Sums::lanes(part, 0, p, n, row_stride, some); });
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::size_t together = 4096;  // elements, which stay in the first cache
        const std::size_t most = together / n > 16 ? together / n : 16;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += most, p += static_cast<std::ptrdiff_t>(most) * row_stride) {
            const std::size_t some = rows - r < most ? rows - r : most;
            add_parts(tile, 0, n, Present::of(p, n, row_stride, some),
                      [&]<class Sums>(Sums, void* part) { Sums::columns(part, p, row_stride, some, n); });
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        for (const Range range : {large, middle, small})
            static_cast<Tile*>(tile)->add(range, j, static_cast<const Tile*>(from)->at(range, i));
    }

    static constexpr double product(double x, double once) { return is_square ? x * once * once : x * once; }

    // In the next greater range, where it may underflow. (Lemma 21)
    static Sum moved(const Sum& sum, Range from) {
        const double once = from == small ? 1 / ranges::small_scale : ranges::large_scale;
        const double least = sum.hi != 0 || sum.lo != 0 || sum.bound != 0 ? 0x1p-1070 : 0;
        return {product(sum.hi, once), product(sum.lo, once), product(sum.bound, once) + least};
    }

    // In the greatest range that there is.
    static Sum total_at(const Tile& t, std::size_t j, Range& range) {
        Sum total = t.at(small, j);
        range = small;
        for (const Range greater : {middle, large}) {
            const Sum more = t.at(greater, j);
            if (more.hi == 0 && (is_square || (more.lo == 0 && more.bound == 0))) continue;
            for (; range != greater; range = range == small ? middle : large) total = moved(total, range);
            add(total, more);
        }
        return total;
    }

    // By how many octaves totals in a range are too great.
    static double octaves_of(Range range) {
        constexpr int powers = is_square ? 2 : 1;
        return powers * (range == large ? ranges::large_octaves : range == small ? ranges::small_octaves : 0);
    }

    static double divisor(const Finish& how) {
        return how.finalize == Finalize::over_count ? static_cast<double>(how.count) : 1;
    }

    // How far `count` times a value is from the total, where that is certain, times the value's sign.
    static std::optional<double> excess(const Sum& total, double value, double count) {
        const double more = std::fma(-value, count, total.hi) + total.lo;
        if (total.bound > 0 && !(samesum::magnitude(more) > 2 * total.bound)) return std::nullopt;
        return std::copysign(1, value) * more;
    }

    // The result from that of the scaled elements, which was rounded to 53 bits. False if it is not certain:
    // of those below 2^52 least numbers what seems to lie halfway between two may not be.
    static bool unscale(char* result, Range range, const Sum& total, const Finish& how) {
        const bool is_root = how.finalize == Finalize::root, is_once = !is_square || is_root;
        double value;
        std::memcpy(&value, result, sizeof value);
        const double size = samesum::magnitude(value);
        if (range == small) {
            constexpr double units_once = 0x1p1000 / ranges::small_scale * 0x1p74,  // of the least number
                units_of_squares = units_once / ranges::small_scale;
            const double units = size * (is_once ? units_once : units_of_squares);
            if (units < 0x1p52) {
                double whole = (units + 0x1p52) - 0x1p52;
                if (samesum::magnitude(units - whole) == 0.5) {
                    if (is_root) return false;
                    const auto more = excess(total, value, divisor(how));
                    if (!more) return false;
                    if (*more != 0) whole = *more > 0 ? units + 0.5 : units - 0.5;
                }
                const std::uint64_t sign = __builtin_bit_cast(std::uint64_t, value) >> 63 << 63,
                                    bits = static_cast<std::uint64_t>(whole) | sign;
                std::memcpy(result, &bits, sizeof bits);
                return true;
            }
        }
        const double scale = range == large ? ranges::large_scale : ranges::small_scale;
        value = is_once ? value / scale : value / scale / scale;
        std::memcpy(result, &value, sizeof value);
        return true;
    }

    static std::size_t finish_logarithms(const Totals& totals, const Range* range, std::size_t n,
                                         const Finish& how, void* out, std::uint8_t* failed) {
        if (how.format != Format::f64) {
            std::memset(failed, 1, n);
            return n;
        }
        double scaled[pitch] = {};
        for (std::size_t j = 0; j < n; ++j) scaled[j] = octaves_of(range[j]);
        return certify_scaled_logarithms(totals, scaled, n, out, failed);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        Range range[columns_of_tile];
        for (std::size_t j = 0; j < n; ++j) {
            const Sum total = total_at(t, j, range[j]);
            t.hi[large][j] = total.hi, t.lo[large][j] = total.lo, t.bound[large][j] = total.bound;
        }
        const Totals totals{t.hi[large], t.lo[large], t.bound[large]};
        if (how.finalize == Finalize::logarithm) return finish_logarithms(totals, range, n, how, out, failed);
        certify_words(totals, n, how, out, failed);
        const bool scales = how.format == Format::f64;
        char* const results = static_cast<char*>(out);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (range[j] != middle && !failed[j])
                failed[j] = !(scales && unscale(results + j * sizeof(double), range[j], t.at(large, j), how));
            failures += failed[j];
        }
        return failures;
    }

  public:
    // The totals, in the range that each is in.
    static void read(const void* tile, const Table& to) {
        const Tile& t = *static_cast<const Tile*>(tile);
        for (std::size_t j = 0; j < to.n; ++j) {
            Range range;
            const Sum total = total_at(t, j, range);
            const double numbers[] = {total.hi, total.lo, total.bound, octaves_of(range)};
            for (std::size_t i = 0; i < 4; ++i) to.row(i)[j] = numbers[i];
        }
    }

    static constexpr Method method() {
        return {columns_of_tile, init, lanes, columns, each_merge<merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
