// The products of columns, and what multiplies them whatever the format of the elements.
#pragma once

#include <new>

#include "kernels/accumulators/factors.hpp"
#include "kernels/certify/certify_products.hpp"
#include "kernels/loops/lanes.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Products of runs in lanes: what is quick for as long as the elements let it.

// Without exponents apart, for as long as the products stay within a double's range.
struct RangedFactors {
    // So many factors do, as a rule.
    static constexpr std::size_t steps = 64;

    Factors words = {};  // in range, as long as nothing was taken
    Doubles least = Doubles{} + infinity;
    Longs outside = {};
    bool is_joined = false;

    SAMESUM_INLINE void take(Doubles x) {
        words.multiply(x);
        least = lesser_magnitude(least, words.hi);
    }

    // What once was infinite or NaN still is. Down to 2^-900 no error of a product is lost, but parts of low
    // words that are less than 2^-170 of it. (Lemma 26)
    SAMESUM_INLINE Longs is_in_range() const {
        return (least > 0x1p-900) & (samesum::SAMESUM_ISA::magnitude(words.hi) < 0x1p1000);
    }

    SAMESUM_INLINE void normalise() {
        outside |= ~is_in_range();
        least = Doubles{} + infinity;
        words.normalise();
    }

    // What joined others before is near one still.
    SAMESUM_INLINE void join(RangedFactors other) {
        if (!is_joined) {
            normalise();
            other.normalise();
        }
        outside |= other.outside;
        words.multiply_loosely(other.words);
        is_joined = true;
    }
};

// Of elements of any kind; what has no significand of its own counts as one, with its sign.
struct AnyFactors {
    // Until it is normalised: products stay far below the largest double.
    static constexpr std::size_t steps = 256;

    Factors words = {};
    Longs marks = {};

    SAMESUM_INLINE void take(Doubles x) { multiply_any(words, marks, x); }
};

// What double-words have besides their first words, and plain doubles have not.
template <bool is_double>
struct LowWords {};
template <>
struct LowWords<true> {
    Doubles lo = {};
    Longs lost = {};
};

// The product of a row of few elements: plain doubles for the narrow formats, double-words for float64.
template <bool is_double>
struct FewProduct : LowWords<is_double> {
    Doubles hi = Doubles{} + 1;

    template <int distance>
    SAMESUM_INLINE FewProduct paired(const FewProduct& other) const {
        const Doubles a = paired_low<distance>(hi, other.hi), b = paired_high<distance>(hi, other.hi);
        FewProduct both;
        both.hi = a * b;
        if constexpr (is_double) {
            const Doubles c = paired_low<distance>(this->lo, other.lo),
                          d = paired_high<distance>(this->lo, other.lo);
            both.lost = paired_low<distance>(this->lost, other.lost) |
                        paired_high<distance>(this->lost, other.lost) | reinterpret_cast<Longs>(c) |
                        reinterpret_cast<Longs>(d);
            both.lo = fused(a, d, fused(c, b, fused(a, b, -both.hi)));
        }
        return both;
    }

    SAMESUM_INLINE Factors factors() const {
        Factors all{hi, Doubles{}, Longs{}, ~Longs{}};
        if constexpr (is_double) all.lo = this->lo, all.lost = this->lost;
        all.normalise();
        return all;
    }

    // What is lost of n factors, relatively: in double-words the low word is at most n * 2^-53 of the product
    // and is rounded at each step, and that of two lanes leaves out the product of their low words.
    // (Lemma 26)
    static double loss(std::size_t n) {
        const double factors = static_cast<double>(n + width);
        return is_double ? factors * factors * 0x1p-104 : factors * 0x1p-53;
    }
};

// In a lane. Nothing is lost to the range of a double while no product is less than 2^-900 or infinite, nor
// when lanes between 2^-100 and 2^100 are folded.
template <bool is_double>
struct FewFactors : FewProduct<is_double> {
    // Few enough for all lanes to stay there, as a rule.
    static constexpr std::size_t most = 64 * width;

    Doubles least = Doubles{} + infinity;

    static SAMESUM_INLINE FewFactors of(Doubles x) {
        FewFactors all;
        all.hi = x;
        return all;
    }

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles product = this->hi * x;
        if constexpr (is_double) {
            this->lost |= reinterpret_cast<Longs>(this->lo);
            this->lo = fused(this->lo, x, fused(this->hi, x, -product));
        }
        this->hi = product;
        least = lesser_magnitude(least, product);
    }
};

// The lanes of some rows, and whether they stayed in range.
struct FewRange {
    Doubles least = Doubles{} + infinity, smallest = least, greatest = {};

    template <bool is_double>
    SAMESUM_INLINE void see(const FewFactors<is_double>& row) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(row.hi);
        least = lesser(least, row.least);
        smallest = lesser(smallest, size);
        greatest = samesum::SAMESUM_ISA::greater(greatest, size);
    }
    // A NaN may have been passed over, but not in the product that the rows are folded to.
    template <bool is_double>
    SAMESUM_INLINE bool holds(const FewProduct<is_double>& folded) const {
        const Longs inside =
            (least >= 0x1p-900) & (smallest >= 0x1p-100) & (greatest <= 0x1p100) & (folded.hi == folded.hi);
        return !any(~inside);
    }
};

// The product of a run of elements; its chains had up to `longest` factors.
struct RunProduct {
    Factors words;
    Longs marks = {};
    std::size_t longest = 0;

    // Vector by vector: as one block of memory it took ten times as long.
    SAMESUM_INLINE void set_to_none() {
        words.hi = Doubles{} + 1;
        words.lo = Doubles{};
        words.exponent = words.lost = marks = Longs{};
        longest = 0;
    }

    template <int distance>
    SAMESUM_INLINE RunProduct paired(const RunProduct& other) const {
        return {words.paired<distance>(other.words),
                paired_low<distance>(marks, other.marks) | paired_high<distance>(marks, other.marks),
                longest > other.longest ? longest : other.longest};
    }
};

// What `count` multiplications in chains of at most `longest` lose, and the joining of lanes. In a chain from
// a normalised word the low word is at most (k + 1) u of the product after k steps (u = 2^-53) and rounded by
// so many u^2: k (k + 3) / 2 u^2 in all. Lanes of m u lose m^2 + 3 m + 2 of u^2 when they are joined by twos:
// the four of a block 2 * 6 + 20, and 18 where they join the blocks before it, 50 u^2 for 256 factors or for
// what is left; eight normalised ones 136 u^2. 2^-94 is 4096 u^2. (Lemma 25)
constexpr double product_loss(std::size_t count, std::size_t longest = AnyFactors::steps) {
    return static_cast<double>(count) * (static_cast<double>(longest) + 6) * 0x1p-107 + 0x1p-94;
}

// Factors as doubles, so that what is seldom asked for is compiled once for all formats.
struct WrittenFactors {
    alignas(64) double x[(AnyFactors::steps + 4) * width];
    std::size_t vectors = 0;

    WrittenFactors() {}  // not zeroed

    SAMESUM_INLINE void write(Doubles factor) { store(x + vectors++ * width, factor); }

    SAMESUM_APART void multiply(AnyFactors& total) const {
        for (std::size_t i = 0; i < vectors; ++i) total.take(load<Doubles>(x + i * width));
    }
};

// States of columns; `bound` is what was lost, relatively.
struct ProductTile {
    double hi[tile_pitch], lo[tile_pitch], bound[tile_pitch];
    std::int64_t exponent[tile_pitch], mark[tile_pitch], lost[tile_pitch];

    static ProductTile& of(void* tile) {
        static_assert(sizeof(ProductTile) <= tile_bytes);
        return *static_cast<ProductTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        ProductTile& t = of(tile);
        for (std::size_t j = 0; j < (n + width - 1) / width * width; ++j) {
            t.hi[j] = 1;
            t.lo[j] = t.bound[j] = 0;
            t.exponent[j] = t.mark[j] = t.lost[j] = 0;
        }
    }

    // A vector of columns.
    SAMESUM_INLINE Factors at(std::size_t j) const {
        return {load<Doubles>(hi + j), load<Doubles>(lo + j), load<Longs>(exponent + j),
                load<Longs>(lost + j)};
    }
    SAMESUM_INLINE void put(std::size_t j, const Factors& column) {
        store(hi + j, column.hi);
        store(lo + j, column.lo);
        store(exponent + j, column.exponent);
        store(lost + j, column.lost);
    }

    // Times products of up to a vector of columns, of which `loss` was lost if anything was.
    SAMESUM_APART void multiply(std::size_t j, const RunProduct& all, double loss, std::size_t n) {
        if (n < width) {
            for (std::size_t k = 0; k < n; ++k)
                join(j + k, all.words.hi[k], all.words.lo[k], all.words.exponent[k], all.marks[k],
                     all.words.lost[k] != 0 ? loss : 0);
            return;
        }
        const Doubles none = {};
        Factors column = at(j), factor = all.words;
        column.lost = factor.lost = Longs{};
        column.multiply(factor);
        store(bound + j, load<Doubles>(bound + j) + (all.words.lost != 0 ? none + loss : none) +
                             (column.lost != 0 ? none + 0x1p-98 : none));
        column.lost = Longs{};
        put(j, column);
        store(mark + j, load<Longs>(mark + j) | all.marks);
    }

    // Times the products of rows, as product_of(p, n) has them.
    SAMESUM_APART void multiply_runs(std::size_t j, RunProduct (*product_of)(const char* p, std::size_t n),
                                     const char* p, std::size_t n, std::ptrdiff_t row_stride,
                                     std::size_t rows) {
        // Each is made by the call: to make four of nothing before took a tenth of rows of 60.
        union Rows {
            Rows() {}
            RunProduct row[width];
        };
        for (std::size_t r = 0; r < rows; r += width) {
            Rows some;
            const std::size_t here = rows - r < width ? rows - r : width;
            for (std::size_t k = 0; k < here; ++k, p += row_stride)
                new (&some.row[k]) RunProduct(product_of(p, n));
            for (std::size_t k = here; k < width; ++k) some.row[k].set_to_none();
            const RunProduct all = folded_rows(some.row);
            multiply(j + r, all, product_loss(n, all.longest), here);
        }
    }

    SAMESUM_APART void multiply_any(std::size_t j, const WrittenFactors& factors) {
        AnyFactors total{at(j), load<Longs>(mark + j)};
        factors.multiply(total);
        put(j, total.words);
        store(mark + j, total.marks);
    }

    // Column j times a double-word of which `loss` was lost.
    void join(std::size_t j, double high, double low, std::int64_t power, std::int64_t marks, double loss) {
        Factors a = {Doubles{} + hi[j], Doubles{} + lo[j], Longs{} + exponent[j], Longs{}};
        a.multiply(Factors{Doubles{} + high, Doubles{} + low, Longs{} + power, Longs{}});
        hi[j] = a.hi[0];
        lo[j] = a.lo[0];
        exponent[j] = a.exponent[0];
        mark[j] |= marks;
        bound[j] += loss + (a.lost[0] != 0 ? 0x1p-98 : 0);
    }

    void normalise(std::size_t n, double loss) {
        for (std::size_t j = 0; j < n; j += width) {
            Factors column = at(j);
            column.normalise();
            const Doubles none = {};
            store(bound + j, load<Doubles>(bound + j) + (column.lost != 0 ? none + loss : none));
            column.lost = Longs{};
            put(j, column);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        const ProductTile& f = *static_cast<const ProductTile*>(from);
        of(tile).join(j, f.hi[i], f.lo[i], f.exponent[i], f.mark[i], f.bound[i]);
    }
    static constexpr auto merge_all = each_merge<merge>;

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const ProductTile& t = of(tile);
        return certify_products({t.hi, t.lo, t.bound, t.exponent, t.mark, t.lost}, 0, n, how.format, out,
                                failed);
    }
};

}  // namespace samesum::SAMESUM_ISA
