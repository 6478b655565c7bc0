// Sums of float64 that leave its range, of squares and of the numbers themselves: large, middle and small
// elements are added up apart, the large and the small ones times a power of two (J. L. Blue, "A portable
// Fortran program to find the Euclidean norm of a vector", 1978).
#pragma once

#include <cmath>
#include <optional>

#include "arithmetic/rounding.hpp"
#include "kernels/certify/certify.hpp"
#include "kernels/sums/scaled_ranges.hpp"
#include "kernels/sums/sum2.hpp"

namespace samesum::SAMESUM_ISA {

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

// `Words` is the method that adds up what is written out. Zeros change neither sums nor bounds.
template <class Words>
struct WidenedLoops {
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
    using Loops = WidenedLoops<Sum2<Float64, Map::itself>>;

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Loops::lanes(widening_of<Load>, tile, j, x, n, row_stride, rows);
    }
    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Loops::columns(widening_of<Load>, tile, x, row_stride, rows, n);
    }

    static constexpr Method method() {
        return {tile_columns, Sum2Tile::init, lanes, columns, Sum2Tile::merge_all, Sum2Tile::finish, true};
    }
};

// How totals are finished: of squares, or of the numbers themselves.
template <bool is_square>
class ScaledTotals {
  public:
    using Tile = ScaledTile;
    static constexpr std::size_t columns_of_tile = Tile::most, pitch = Tile::pitch;

    static constexpr double product(double x, double once) { return is_square ? x * once * once : x * once; }

    // In the next greater range, where it may underflow. (Lemma 21)
    static Sum moved(const Sum& sum, Range from) {
        const double once = from == small ? 1 / ranges::small_scale : ranges::large_scale;
        const double least = sum.hi != 0 || sum.lo != 0 || sum.bound != 0 ? 0x1p-1070 : 0;
        return {product(sum.hi, once), product(sum.lo, once), product(sum.bound, once) + least};
    }

    // In the greatest range that there is.
    static Sum total_at(const ScaledTile& t, std::size_t j, Range& range) {
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

  public:
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
};

// add(number of the range, tile) for n columns from number j on, of each range that is there.
template <class Add>
SAMESUM_INLINE void add_ranges(void* tile, std::size_t j, std::size_t n, const Present& present,
                               const Add& add) {
    for (std::size_t range = 0; range < 3; ++range) {
        if (!any(present.in[range])) continue;
        Sum2Tile part;
        Sum2Tile::init(&part, n);
        add(range, &part);
        for (std::size_t k = 0; k < n; ++k)
            ScaledTile::of(tile).add(range, j + k, {part.hi[k], part.lo[k], part.bound[k]});
    }
}

template <Map map>
struct ScaledSums {
    static constexpr bool is_square = map == Map::square, has_sign = map != Map::magnitude;
    using Loops = WidenedLoops<Sum2<Float64, is_square ? Map::square : Map::itself, !is_square>>;
    static constexpr Widening widenings[] = {widening_of<RangeOf<ranges::Large, has_sign>>,
                                             widening_of<RangeOf<ranges::Middle, has_sign>>,
                                             widening_of<RangeOf<ranges::Small, has_sign>>};

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += width, p += static_cast<std::ptrdiff_t>(width) * row_stride) {
            const std::size_t some = rows - r < width ? rows - r : width;
            add_ranges(tile, j + r, some, Present::of(p, n, row_stride, some),
                       [&](std::size_t range, void* part) {
                           Loops::lanes(widenings[range], part, 0, p, n, row_stride, some);
                       });
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::size_t together = 4096;  // elements, which stay in the first cache
        const std::size_t most = together / n > 16 ? together / n : 16;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += most, p += static_cast<std::ptrdiff_t>(most) * row_stride) {
            const std::size_t some = rows - r < most ? rows - r : most;
            add_ranges(tile, 0, n, Present::of(p, n, row_stride, some), [&](std::size_t range, void* part) {
                Loops::columns(widenings[range], part, p, row_stride, some, n);
            });
        }
    }

    static constexpr Method method() {
        return {ScaledTile::most, ScaledTile::init,      lanes,
                columns,          ScaledTile::merge_all, ScaledTotals<is_square>::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
