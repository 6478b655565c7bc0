// Prefix sums: of a block of a row after a carry, and of rows of columns.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/sum2.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Element i moves to i + distance; zeros come in.
template <int distance, class V>
SAMESUM_INLINE V shifted(V v) {
    const V zero = {};
    if constexpr (sizeof(V) == 16) {
        return __builtin_shufflevector(zero, v, 1, 2);
    } else if constexpr (sizeof(V) == 32) {
        if constexpr (distance == 1)
            return __builtin_shufflevector(zero, v, 0, 4, 5, 6);
        else
            return __builtin_shufflevector(zero, v, 0, 1, 4, 5);
    } else {
        if constexpr (distance == 1)
            return __builtin_shufflevector(zero, v, 0, 8, 9, 10, 11, 12, 13, 14);
        else if constexpr (distance == 2)
            return __builtin_shufflevector(zero, v, 0, 1, 8, 9, 10, 11, 12, 13);
        else
            return __builtin_shufflevector(zero, v, 0, 1, 2, 3, 8, 9, 10, 11);
    }
}

template <class V>
SAMESUM_INLINE V last_of(V v) {
    if constexpr (sizeof(V) == 16)
        return __builtin_shufflevector(v, v, 1, 1);
    else if constexpr (sizeof(V) == 32)
        return __builtin_shufflevector(v, v, 3, 3, 3, 3);
    else
        return __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
}

// Prefixes of one block as unrounded words.
struct Prefixes {
    alignas(64) double hi[scan_elements + width];
    alignas(64) double lo[scan_elements + width];
    alignas(64) double bound[scan_elements + width];
};

template <class F>
struct FloatScan {
    using Sums = Sum2<F, Map::itself>;
    static constexpr bool is_double = F::format == Format::f64;

    static void total(Carry& carry, const void* x, std::size_t n) {
        typename Sums::Tile tile;
        tile.hi[0] = carry.sum.hi;
        tile.lo[0] = carry.sum.lo;
        tile.bound[0] = carry.sum.bound;
        Sums::lane(&tile, 0, x, n);
        carry.sum = {tile.hi[0], tile.lo[0], tile.bound[0]};
    }

    static void join(Carry& carry, const Carry& part) { add(carry.sum, part.sum); }

    // a + b; `lost` collects the magnitudes of what was rounded off, when it is asked for.
    template <bool checked>
    static SAMESUM_INLINE Doubles plus(Doubles a, Doubles b, Doubles& lost) {
        Doubles sum = a + b, error;
        if constexpr (checked) {
            two_sum(a, b, sum, error);
            lost += samesum::SAMESUM_ISA::magnitude(error);
        }
        return sum;
    }

    template <bool checked>
    static SAMESUM_INLINE void step(const char* p, double* out, Doubles& run, Doubles& sizes, Doubles& lost) {
        Doubles v = F::doubles(p);
        if constexpr (!checked) sizes += samesum::SAMESUM_ISA::magnitude(v);
        v = plus<checked>(v, shifted<1>(v), lost);
        if constexpr (width >= 4) v = plus<checked>(v, shifted<2>(v), lost);
        if constexpr (width >= 8) v = plus<checked>(v, shifted<4>(v), lost);
        store(out, plus<checked>(v, run, lost));
        run += last_of(v);
    }

    // Float64 prefixes of the block from carry.hi on. Returns the sum of the magnitudes (or, checked, of what
    // was rounded off).
    template <bool checked>
    static double prefixes(double first, const void* x, std::size_t n, double* out) {
        Doubles run = Doubles{} + first, sizes = {}, lost = {};
        const char* p = static_cast<const char*>(x);
        std::size_t i = 0;
        for (; i + width <= n; i += width, p += width * F::size) {
            prefetch<width * F::size>(p + prefetch_distance);
            step<checked>(p, out + i, run, sizes, lost);
        }
        if (i < n) {
            char padded[width * F::size];
            pad<F>(p, n - i, padded);
            step<checked>(padded, out + i, run, sizes, lost);
        }
        double parts[width], total = 0;
        const Doubles result = checked ? lost : sizes;
        __builtin_memcpy(parts, &result, sizeof parts);
        for (std::size_t k = 0; k < width; ++k) total += parts[k];
        return total;
    }

    static void fill(double* array, std::size_t n, double value) {
        for (std::size_t i = 0; i < n; ++i) array[i] = value;
    }

    // Plain float64 prefixes: enough for almost every block of a narrower format.
    template <Format format>
    static bool try_plain(const Sum& carry, const void* x, std::size_t n, void* out, Prefixes& p) {
        const double size = samesum::magnitude(carry.hi) + prefixes<false>(carry.hi, x, n, p.hi);
        const double known = samesum::magnitude(carry.lo) + carry.bound;
        // Sums of float16 are multiples of 2^-24.
        const bool exact = F::format == Format::f16 && size * bound_slack < 0x1p29;
        const double depth = exact ? 0 : static_cast<double>(n / width + 16);
        const double bound = known + depth * (unit_roundoff * bound_slack) * size;
        if (!(size < infinity && bound < infinity)) return false;
        Words wrong = {};
        for (std::size_t i = 0; i < n; i += width) {
            using Round = Rounding<format>;
            const Doubles value = load<Doubles>(p.hi + i), b = widened(Doubles{} + bound, value);
            const auto low = Round::of(value - b);
            if (n - i >= width) {
                Round::store_to(out, i, low);
                wrong |= Round::different(low, Round::of(value + b));
            } else {
                char last[width * size_of(format)];
                Round::store_to(last, 0, low);
                std::memcpy(static_cast<char*>(out) + i * size_of(format), last, (n - i) * size_of(format));
                const Words differs = Round::different(low, Round::of(value + b));
                for (std::size_t k = 0; k < n - i; ++k) wrong[0] |= differs[k];
            }
        }
        for (std::size_t k = 1; k < width; ++k) wrong[0] |= wrong[k];
        return wrong[0] == 0;
    }

    static bool try_plain_in(Format format, const Sum& carry, const void* x, std::size_t n, void* out,
                             Prefixes& p) {
        switch (format) {
            case Format::f16:
                return try_plain<Format::f16>(carry, x, n, out, p);
            case Format::bf16:
                return try_plain<Format::bf16>(carry, x, n, out, p);
            case Format::f32:
                return try_plain<Format::f32>(carry, x, n, out, p);
            default:
                return false;
        }
    }

    // If no addition rounded, only the carry's own words stand between the prefixes and the truth.
    static bool try_exact(const Sum& carry, const void* x, std::size_t n, const Finish& how, void* out,
                          std::uint8_t* failed, Prefixes& p) {
        if (!(prefixes<true>(carry.hi, x, n, p.hi) == 0)) return false;
        fill(p.lo, n, carry.lo);
        fill(p.bound, n, carry.bound);
        return certify_words({p.hi, p.lo, p.bound}, n, how, out, failed) == 0;
    }

    // One after the other in double-words.
    static std::size_t in_words(const Sum& carry, const void* x, std::size_t n, const Finish& how, void* out,
                                std::uint8_t* failed, Prefixes& p) {
        alignas(64) double values[is_double ? 1 : scan_elements + width];
        for (std::size_t i = 0; i < n && !is_double; i += width) {
            char padded[width * F::size];
            const char* at = static_cast<const char*>(x) + i * F::size;
            if (n - i < width) pad<F>(at, n - i, padded), at = padded;
            store(values + i, F::doubles(at));
        }
        const void* from = is_double ? x : values;
        double sum = carry.hi, rest = carry.lo, lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double error;
            two_sum(sum, load<double>(static_cast<const char*>(from) + i * sizeof(double)), sum, error);
            rest += error;
            lost += samesum::magnitude(error);
            p.hi[i] = sum;
            p.lo[i] = rest;
            p.bound[i] = lost;
        }
        // As long as no addition rounded, none of the low words did.
        const double before = samesum::magnitude(carry.lo);
        for (std::size_t i = 0; i < n; ++i) {
            const double depth = static_cast<double>(i + 2) * (unit_roundoff * bound_slack);
            p.bound[i] = carry.bound + (p.bound[i] != 0 ? depth * (before + p.bound[i]) : 0);
        }
        const std::size_t failures = certify_words({p.hi, p.lo, p.bound}, n, how, out, failed);
        return failures == 0 ? 0 : failures - accept_special(p.hi, n, how, out, failed);
    }

    static std::size_t row(Carry& carry, const void* x, std::size_t n, Format format, void* out,
                           std::uint8_t* failed) {
        Prefixes p;
        const Finish how{Finalize::itself, format, 1};
        // The block by itself is summed more closely than on top of a large prefix: the carry hardly loses
        // anything.
        const Sum before = carry.sum;
        total(carry, x, n);
        if constexpr (!is_double) {
            if (try_plain_in(format, before, x, n, out, p)) return 0;
            if (try_exact(before, x, n, how, out, failed, p)) return 0;
        }
        return in_words(before, x, n, how, out, failed, p);
    }

    struct Tile {
        double sum[tile_pitch], rest[tile_pitch], sizes[tile_pitch], bound[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < (n + width - 1) / width * width; ++j)
            t.sum[j] = t.rest[j] = t.sizes[j] = 0;
    }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t depth, Format format,
                              void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        const double factor = static_cast<double>(depth + 4) * (unit_roundoff * bound_slack);
        for (std::size_t j = 0; j < n; j += width) {
            char padded[width * F::size];
            const char* p = static_cast<const char*>(x) + j * F::size;
            if (n - j < width) pad<F>(p, n - j, padded), p = padded;
            Doubles sum, error;
            two_sum(load<Doubles>(t.sum + j), F::doubles(p), sum, error);
            store(t.sum + j, sum);
            store(t.rest + j, load<Doubles>(t.rest + j) + error);
            const Doubles sizes = load<Doubles>(t.sizes + j) + samesum::SAMESUM_ISA::magnitude(error);
            store(t.sizes + j, sizes);
            store(t.bound + j, sizes * factor);
        }
        const Finish how{Finalize::itself, format, 1};
        // Prefixes of float64 may overflow and come back.
        if (is_double || format == Format::f64)
            return certify_words({t.sum, t.rest, t.bound}, n, how, out, failed);
        if (certify_interval({t.sum, t.rest, t.bound}, n, how, out, failed) == 0) return 0;
        const std::size_t failures = certify_words({t.sum, t.rest, t.bound}, n, how, out, failed);
        return failures == 0 ? 0 : failures - accept_special(t.sum, n, how, out, failed);
    }

    // Prefixes of these formats overflow no double: what is not finite is the result.
    static std::size_t accept_special(const double* sums, std::size_t n, const Finish& how, void* out,
                                      std::uint8_t* failed) {
        std::size_t accepted = 0;
        for (std::size_t i = 0; i < n && !is_double; ++i) {
            if (!failed[i] || samesum::magnitude(sums[i]) < infinity) continue;
            store_bits(out, i, round_bits(sums[i], how.format), size_of(how.format));
            failed[i] = 0;
            ++accepted;
        }
        return accepted;
    }

    static constexpr ScanMethod method() { return {{}, total, join, row, init, column}; }
};

}  // namespace samesum::SAMESUM_ISA
