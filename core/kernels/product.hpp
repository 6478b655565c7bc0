// Products of floats: significands in double-words, exponents as integers. Zeros, infinities and NaNs are
// marked aside, where a one takes their place with their sign.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

constexpr std::int64_t zero_mark = 1, infinity_mark = 2, nan_mark = 4;
constexpr std::int64_t field_mask = 0x7ff, field_bias = 1023, fraction_bits = 52;
constexpr std::int64_t one_bits = field_bias << fraction_bits;
constexpr std::int64_t sign_and_fraction = ~(field_mask << fraction_bits);

SAMESUM_INLINE Longs exponent_field(Doubles x) {
    return reinterpret_cast<Longs>(x) >> fraction_bits & field_mask;
}

// x with the exponent of one.
SAMESUM_INLINE Doubles significand_of(Doubles x) {
    return reinterpret_cast<Doubles>((reinterpret_cast<Longs>(x) & sign_and_fraction) | one_bits);
}

// Negative for what a loop of ordinary factors cannot take: the fields of zeros and subnormals, of infinities
// and NaNs.
SAMESUM_INLINE Longs is_odd(Longs field) { return (field - 1) | (field_mask - 1 - field); }

// (hi + lo) * 2^exponent; `lost` is not zero where a low word was rounded, which it is as soon as it is
// multiplied by more than a power of two.
struct Factors {
    Doubles hi, lo;
    Longs exponent, lost;

    static SAMESUM_INLINE Factors one() { return {Doubles{} + 1, Doubles{}, Longs{}, Longs{}}; }

    // Times a significand from 1 to 2; its exponent is added by the caller.
    SAMESUM_INLINE void multiply(Doubles x) {
        const Doubles product = hi * x;
        lost |= reinterpret_cast<Longs>(lo);
        lo = fused(lo, x, fused(hi, x, -product));
        hi = product;
    }

    SAMESUM_INLINE void normalise() {
        const Doubles sum = hi + lo;
        lo = lo - (sum - hi);
        const Longs field = exponent_field(sum);
        const Doubles scale = reinterpret_cast<Doubles>((2 * field_bias - field) << fraction_bits);
        hi = sum * scale;
        lo = lo * scale;
        exponent += field - field_bias;
    }

    // Both are normalised; what this loses is at most 2^-102 of the product.
    SAMESUM_INLINE void multiply(const Factors& other) {
        const Doubles product = hi * other.hi;
        const Longs words = reinterpret_cast<Longs>(lo) | reinterpret_cast<Longs>(other.lo);
        lo = fused(hi, other.lo, fused(lo, other.hi, fused(hi, other.hi, -product)));
        hi = product;
        exponent += other.exponent;
        lost |= other.lost | words;
        normalise();
    }
};

// Significands of one product that is exact: so many elements fit into a double.
template <class F>
constexpr std::size_t packed = F::format == Format::f64   ? 1
                               : F::format == Format::f32 ? 2
                                                          : 4;

// The exact product of `packed` vectors of elements.
template <class F>
SAMESUM_INLINE Doubles packed_product(const char* p, std::ptrdiff_t distance) {
    if constexpr (packed<F> == 1) {
        return F::doubles(p);
    } else if constexpr (packed<F> == 2) {
        return F::doubles(p) * F::doubles(p + distance);
    } else {
        return (F::doubles(p) * F::doubles(p + distance)) *
               (F::doubles(p + 2 * distance) * F::doubles(p + 3 * distance));
    }
}

// Products as arrays, readable in whole vectors: (hi + lo) * 2^exponent, normalised or not, of which up to
// `bound` was lost, relatively, and where `lost` is not zero somewhat more.
struct Products {
    const double *hi, *lo, *bound;
    const std::int64_t *exponent, *mark, *lost;
};

// In these exponents no word under- or overflows; in a narrower format what lies outside does so anyway.
constexpr std::int64_t least_exponent = -900, greatest_exponent = 1000;

SAMESUM_INLINE Longs clamped(Longs x, std::int64_t low, std::int64_t high) {
    x = x < low ? Longs{} + low : x;
    return x > high ? Longs{} + high : x;
}

// The result where a mark decides it, in the sign of the significand.
inline std::uint64_t marked_bits(std::int64_t mark, bool negative, Format format) {
    const std::uint64_t sign = negative ? sign_bit(format) : 0;
    if ((mark & nan_mark) != 0 || mark == (zero_mark | infinity_mark)) return canonical_nan(format);
    return sign | ((mark & infinity_mark) != 0 ? infinity_bits(format) : 0);
}

// Of float64 beyond the exponents above: far beyond, it is infinite or zero; near them it cannot be told
// here.
inline bool settle(std::int64_t exponent, bool negative, void* out, std::size_t j) {
    constexpr std::int64_t surely = 1200;
    if (exponent > -surely && exponent < surely) return false;
    store_bits(out, j,
               (negative ? sign_bit(Format::f64) : 0) | (exponent > 0 ? infinity_bits(Format::f64) : 0),
               size_of(Format::f64));
    return true;
}

// Writes the rounded products and which of them failed; returns how many.
inline std::size_t certify_products(const Products& x, double extra, std::size_t n, Format format, void* out,
                                    std::uint8_t* failed) {
    alignas(64) double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch];
    alignas(64) std::int64_t exponent[tile_pitch];
    Longs unusual = {};
    for (std::size_t j = 0; j < n; j += width) {
        Factors f{load<Doubles>(x.hi + j), load<Doubles>(x.lo + j), load<Longs>(x.exponent + j), Longs{}};
        f.normalise();
        store(exponent + j, f.exponent);
        const Longs usable = clamped(f.exponent, least_exponent, greatest_exponent);
        unusual |= (f.exponent ^ usable) | load<Longs>(x.mark + j);
        const Doubles scale = reinterpret_cast<Doubles>((usable + field_bias) << fraction_bits), none = {};
        store(hi + j, f.hi * scale);
        store(lo + j, f.lo * scale);
        const Doubles relative =
            load<Doubles>(x.bound + j) + (load<Longs>(x.lost + j) != 0 ? none + extra : none);
        store(bound + j, relative * (2 * scale));  // significands are below 2
    }
    std::size_t failures = certify_words({hi, lo, bound}, n, {Finalize::itself, format, 1}, out, failed);
    bool usual = true;
    for (std::size_t k = 0; k < width; ++k) usual = usual && unusual[k] == 0;
    for (std::size_t j = 0; j < n && !usual; ++j) {
        const bool negative = hi[j] < 0;
        const bool within = exponent[j] >= least_exponent && exponent[j] <= greatest_exponent;
        if (x.mark[j] == 0 && (format != Format::f64 || within)) continue;
        const bool settled = x.mark[j] != 0 || settle(exponent[j], negative, out, j);
        if (x.mark[j] != 0) store_bits(out, j, marked_bits(x.mark[j], negative, format), size_of(format));
        failures = failures - failed[j] + (settled ? 0 : 1);
        failed[j] = settled ? 0 : 1;
    }
    return failures;
}

SAMESUM_INLINE bool any_negative(Longs v) {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= v[k];
    return all < 0;
}

template <class F>
struct RealProduct {
    struct Tile {
        double hi[tile_pitch], lo[tile_pitch];
        double bound[tile_pitch];  // relative, of what was lost
        std::int64_t exponent[tile_pitch], mark[tile_pitch], lost[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static constexpr std::size_t chains = 4;
    // Multiplications of one lane until it is normalised: products stay far below the largest double.
    static constexpr std::size_t steps = 256;

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < (n + width - 1) / width * width; ++j) {
            t.hi[j] = 1;
            t.lo[j] = t.bound[j] = 0;
            t.exponent[j] = t.mark[j] = t.lost[j] = 0;
        }
    }

    // One vector of elements of any kind; what has no significand of its own counts as one, with its sign.
    static SAMESUM_INLINE void multiply_any(Factors& total, Longs& marks, Doubles x) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(x);
        const Longs is_zero = size == 0, is_infinite = size == infinity, is_nan = x != x;
        marks |= (is_zero & zero_mark) | (is_infinite & infinity_mark) | (is_nan & nan_mark);
        const Longs special = is_zero | is_infinite | is_nan;
        constexpr std::int64_t up = 54;  // makes subnormals normal
        const Longs subnormal = (size < 0x1p-1022 ? Longs{} - 1 : Longs{}) & ~is_zero;
        const Doubles normal = subnormal ? x * 0x1p54 : x;
        const Longs field = exponent_field(normal) - (subnormal & up);
        total.exponent += ~special & (field - field_bias);
        const Longs bits = reinterpret_cast<Longs>(normal);
        const Longs sign = bits & INT64_MIN;
        total.multiply(special ? reinterpret_cast<Doubles>(sign | one_bits) : significand_of(normal));
    }

    // One product of ordinary elements; `odd` collects what was not ordinary, the fields are added unbiased
    // later.
    static SAMESUM_INLINE void multiply_ordinary(Factors& total, Longs& odd, Doubles x) {
        const Longs field = exponent_field(x);
        odd |= is_odd(field);
        total.exponent += field;
        total.multiply(significand_of(x));
    }

    // `count` groups of chains * packed vectors; false if not all of it was ordinary.
    static SAMESUM_INLINE bool multiply_groups(const char* p, std::size_t count, Factors (&lane)[chains]) {
        constexpr std::size_t vector = width * F::size, step = vector * packed<F>;
        Longs odd = {};
        for (std::size_t i = 0; i < count; ++i, p += chains * step) {
            prefetch<chains * step>(p + prefetch_distance);
            for (std::size_t k = 0; k < chains; ++k)
                multiply_ordinary(lane[k], odd, packed_product<F>(p + k * step, vector));
        }
        for (std::size_t k = 0; k < chains; ++k)
            lane[k].exponent -= static_cast<std::int64_t>(count) * field_bias;
        return !any_negative(odd);
    }

    static SAMESUM_INLINE void multiply_vectors(const char* p, std::size_t count, Factors& lane,
                                                Longs& marks) {
        for (std::size_t i = 0; i < count; ++i)
            multiply_any(lane, marks, F::doubles(p + i * width * F::size));
    }

    // Fewer elements than a vector, the rest ones.
    static SAMESUM_INLINE void multiply_rest(const char* p, std::size_t n, Factors& lane, Longs& marks) {
        char padded[width * F::size];
        pad<F>(p, n, padded);
        double x[width];
        store(x, F::doubles(padded));
        for (std::size_t k = n; k < width; ++k) x[k] = 1;
        multiply_any(lane, marks, load<Doubles>(x));
    }

    template <int distance>
    static SAMESUM_INLINE void fold(Factors& lane) {
        lane.multiply(Factors{swapped<distance>(lane.hi), swapped<distance>(lane.lo),
                              swapped<distance>(lane.exponent), swapped<distance>(lane.lost)});
    }

    // The lanes of a vector multiplied into column j.
    static SAMESUM_INLINE void close(Tile& t, std::size_t j, Factors lane, Longs marks, double bound) {
        lane.normalise();
        fold<1>(lane);
        if constexpr (width >= 4) fold<2>(lane);
        if constexpr (width >= 8) fold<4>(lane);
        std::int64_t mark = 0;
        for (std::size_t k = 0; k < width; ++k) mark |= marks[k];
        join(t, j, lane.hi[0], lane.lo[0], lane.exponent[0], mark, lane.lost[0] != 0, bound);
    }

    // Multiplies column j by a normalised double-word of which `bound` was lost if `lost`.
    static SAMESUM_INLINE void join(Tile& t, std::size_t j, double hi, double lo, std::int64_t exponent,
                                    std::int64_t mark, bool lost, double bound) {
        Factors a = {Doubles{} + t.hi[j], Doubles{} + t.lo[j], Longs{} + t.exponent[j], Longs{}};
        a.multiply(Factors{Doubles{} + hi, Doubles{} + lo, Longs{} + exponent, Longs{}});
        t.hi[j] = a.hi[0];
        t.lo[j] = a.lo[0];
        t.exponent[j] = a.exponent[0];
        t.mark[j] |= mark;
        t.bound[j] += (lost ? bound : 0) + (a.lost[0] != 0 ? 0x1p-102 : 0);
    }

    // What `count` multiplications in chains of at most `steps` lose, and the joining of up to 64 lanes: in a
    // chain the low word is at most (k + 1) * 2^-53 of the product after k steps, and is rounded each time.
    static constexpr double lost_by(std::size_t count) {
        return static_cast<double>(count) * (static_cast<double>(steps) + 1) * 0x1p-106 + 0x1p-96;
    }

    static void piece(Tile& t, std::size_t j, const char* p, std::size_t n) {
        constexpr std::size_t vector = width * F::size, group = chains * packed<F> * width;
        Factors lane[chains] = {Factors::one(), Factors::one(), Factors::one(), Factors::one()};
        Longs marks = {};
        std::size_t groups = n / group;
        if (groups > 0 && !multiply_groups(p, groups, lane)) {
            groups = 0;
            for (Factors& each : lane) each = Factors::one();
        }
        if (groups > 0) {
            for (Factors& each : lane) each.normalise();
            lane[0].multiply(lane[1]);
            lane[2].multiply(lane[3]);
            lane[0].multiply(lane[2]);
        }
        const std::size_t done = groups * group;
        for (std::size_t i = done; i < n; i += steps * width) {
            const std::size_t now = n - i < steps * width ? n - i : steps * width;
            multiply_vectors(p + i * F::size, now / width, lane[0], marks);
            if (now % width > 0)
                multiply_rest(p + i * F::size + now / width * vector, now % width, lane[0], marks);
            lane[0].normalise();
        }
        close(t, j, lane[0], marks, lost_by(n));
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        constexpr std::size_t most = steps * chains * packed<F> * width;
        for (std::size_t i = 0; i < n; i += most) {
            piece(*static_cast<Tile*>(tile), j, static_cast<const char*>(x) + i * F::size,
                  n - i < most ? n - i : most);
        }
    }

    static SAMESUM_INLINE Factors load_column(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.hi + j), load<Doubles>(t.lo + j), load<Longs>(t.exponent + j),
                load<Longs>(t.lost + j)};
    }

    static SAMESUM_INLINE void store_column(Tile& t, std::size_t j, const Factors& column) {
        store(t.hi + j, column.hi);
        store(t.lo + j, column.lo);
        store(t.exponent + j, column.exponent);
        store(t.lost + j, column.lost);
    }

    // A vector of columns times elements of any kind, one row after the other.
    static void multiply_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                              std::size_t rows, std::size_t n) {
        Factors column = load_column(t, j);
        Longs marks = load<Longs>(t.mark + j);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            if (n < width)
                multiply_rest(p, n, column, marks);
            else
                multiply_any(column, marks, F::doubles(p));
        }
        store_column(t, j, column);
        store(t.mark + j, marks);
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        constexpr std::ptrdiff_t next = static_cast<std::ptrdiff_t>(rows);
        std::size_t j = 0;
        for (; j + width <= n; j += width) {
            const char* p = x + j * F::size;
            prefetch_rows<rows>(p + next * row_stride, row_stride, width * F::size);
            Factors column = load_column(t, j);
            Longs odd = {};
            for (std::size_t r = 0; r < rows; r += packed<F>) {
                multiply_ordinary(
                    column, odd,
                    packed_product<F>(p + static_cast<std::ptrdiff_t>(r) * row_stride, row_stride));
            }
            column.exponent -= static_cast<std::int64_t>(rows / packed<F>) * field_bias;
            if (any_negative(odd))
                multiply_rows(t, j, p, row_stride, rows, width);
            else
                store_column(t, j, column);
        }
        if (j < n) multiply_rows(t, j, x + j * F::size, row_stride, rows, n - j);
    }

    static void normalise_columns(Tile& t, std::size_t n, double bound) {
        for (std::size_t j = 0; j < n; j += width) {
            Factors column = load_column(t, j);
            column.normalise();
            const Doubles none = {};
            store(t.bound + j, load<Doubles>(t.bound + j) + (column.lost != 0 ? none + bound : none));
            column.lost = Longs{};
            store_column(t, j, column);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows;) {
            const std::size_t now = rows - r < steps ? rows - r : steps;
            std::size_t done = 0;
            for (; done + 4 <= now; done += 4, p += 4 * row_stride) add_rows<4>(t, p, row_stride, n);
            for (; done < now; ++done, p += row_stride) {
                for (std::size_t j = 0; j < n; j += width)
                    multiply_rows(t, j, p + j * F::size, row_stride, 1, n - j);
            }
            normalise_columns(t, n, lost_by(now));
            r += now;
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const Tile& f = *static_cast<const Tile*>(from);
        join(*static_cast<Tile*>(tile), j, f.hi[i], f.lo[i], f.exponent[i], f.mark[i], false, 0);
        static_cast<Tile*>(tile)->bound[j] += f.bound[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<Tile*>(tile);
        return certify_products({t.hi, t.lo, t.bound, t.exponent, t.mark, t.lost}, 0, n, how.format, out,
                                failed);
    }

    static constexpr Method method() { return {tile_columns, init, each_lane<lane>, columns, merge, finish}; }
};

}  // namespace samesum::SAMESUM_ISA
