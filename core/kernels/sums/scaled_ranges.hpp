// Numbers of float64 by their ranges: large, middle and small ones, the large and the small ones times a
// power of two, and tiles of the totals of each.
#pragma once

#include "kernels/loops/lanes.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "methods/method.hpp"

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

// The numbers of a range, all but for signs that do not count.
template <class Range, bool signs_count>
struct RangeOf {
    static constexpr std::size_t elements = width, size = sizeof(double);
    static SAMESUM_INLINE Doubles all(const char* p) {
        const Doubles v = Range::doubles(p);
        return signs_count ? v : magnitude(v);
    }
    static SAMESUM_INLINE Doubles first(const char* p, std::size_t n) {
        char padded[width * size];
        pad<Float64>(p, n, padded);
        return all(padded);
    }
};

enum Range { large, middle, small };

// Which ranges some rows have numbers in.
struct Present {
    Longs in[3] = {};

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles size = magnitude(x);
        const Longs is_large = ~(size < ranges::least_large), is_middle = size >= ranges::least_middle;
        in[large] |= is_large;
        in[middle] |= is_middle & ~is_large;
        in[small] |= ~is_middle & (size != 0);
    }
    SAMESUM_INLINE void join(const Present& other) {
        for (std::size_t range = 0; range < 3; ++range) in[range] |= other.in[range];
    }

    static Present of(const char* p, std::size_t n, std::ptrdiff_t row_stride, std::size_t rows) {
        Present present;
        for (std::size_t r = 0; r < rows; ++r, p += row_stride)
            present.join(state_of_run<Present, DoublesOf<Float64>, 1>(p, n));
        return present;
    }
};

struct ScaledTile {
    static constexpr std::size_t most = tile_columns / 2, pitch = most + 24;
    double hi[3][pitch], lo[3][pitch], bound[3][pitch];

    static ScaledTile& of(void* tile) {
        static_assert(sizeof(ScaledTile) <= tile_bytes);
        return *static_cast<ScaledTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t range = 0; range < 3; ++range)
            for (std::size_t j = 0; j < n; ++j)
                of(tile).hi[range][j] = of(tile).lo[range][j] = of(tile).bound[range][j] = 0;
    }

    Sum at(std::size_t range, std::size_t j) const { return {hi[range][j], lo[range][j], bound[range][j]}; }
    void add(std::size_t range, std::size_t j, const Sum& part) {
        Sum total = at(range, j);
        samesum::add(total, part);
        hi[range][j] = total.hi;
        lo[range][j] = total.lo;
        bound[range][j] = total.bound;
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        for (std::size_t range = 0; range < 3; ++range)
            of(tile).add(range, j, static_cast<const ScaledTile*>(from)->at(range, i));
    }
    static constexpr auto merge_all = each_merge<merge>;
};

}  // namespace samesum::SAMESUM_ISA
