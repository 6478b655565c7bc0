// The certificates of one instruction set, compiled as table.cpp is.
#include "certificates/elementary.hpp"
#include "kernels/exponentials/exponential_sum.hpp"
#include "kernels/norms/spread.hpp"
#include "kernels/products/product_tile.hpp"
#include "kernels/scans/scan.hpp"
#include "kernels/short/short_double_sum.hpp"
#include "kernels/short/short_product.hpp"
#include "kernels/short/short_sum.hpp"
#include "kernels/sums/totals_tile.hpp"

namespace samesum::SAMESUM_ISA {

static_assert(Table::vector % width == 0);

// Prefixes of a block as they are, each hi + lo with its bound (RoundedPrefixes).
struct KnownPrefixes {
    double *hi, *lo, *bound;  // with room for whole vectors

    SAMESUM_INLINE void take_exact(std::size_t i, std::size_t, Doubles value) const {
        put(i, value, Doubles{}, 0);
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t, Doubles value, double known) const {
        put(i, value, Doubles{}, known);
    }
    SAMESUM_INLINE void take(std::size_t i, std::size_t, Doubles high, Doubles low, double known) const {
        put(i, high, low, known);
    }
    static SAMESUM_INLINE bool are_certain() { return true; }

  private:
    SAMESUM_INLINE void put(std::size_t i, Doubles high, Doubles low, double known) const {
        store(hi + i, high);
        store(lo + i, low);
        store(bound + i, Doubles{} + known);
    }
};

static void put(const Table& to, std::size_t j, Doubles hi, Doubles lo, Doubles bound) {
    store(to.row(0) + j, hi);
    store(to.row(1) + j, lo);
    store(to.row(2) + j, bound);
}

static void put(const Table& to, std::size_t j, const Sum& sum) {
    to.row(0)[j] = sum.hi;
    to.row(1)[j] = sum.lo;
    to.row(2)[j] = sum.bound;
}

static void read_words(const void* tile, const Table& to) {
    const auto& t = *static_cast<const TotalsTile*>(tile);
    const double* const fields[] = {t.hi, t.lo, t.bound};
    for (std::size_t i = 0; i < 3; ++i) std::memcpy(to.row(i), fields[i], to.n * sizeof(double));
}

// What was lost of all is known only where anything was.
static void read_products(const void* tile, const Table& to) {
    const auto& t = *static_cast<const ProductTile*>(tile);
    for (std::size_t j = 0; j < to.n; ++j) {
        to.row(0)[j] = t.hi[j];
        to.row(1)[j] = t.lo[j];
        to.row(2)[j] = t.bound[j];
        to.row(3)[j] = static_cast<double>(t.exponent[j]);
        to.row(4)[j] = static_cast<double>(t.mark[j]);
    }
}

static void read_exponentials(const void* tile, const Table& to) {
    const auto& t = *static_cast<const ExponentialStates::Tile*>(tile);
    const double* const fields[] = {t.top, t.equal, t.sum, t.rest, t.bound};
    for (std::size_t i = 0; i < 5; ++i) std::memcpy(to.row(i), fields[i], to.n * sizeof(double));
}

// The squares about the mean.
static void read_spreads(const void* tile, const Table& to) {
    const SpreadTile& t = *static_cast<const SpreadTile*>(tile);
    for (std::size_t j = 0; j < to.n; ++j) {
        const Words2 spread = spread_of(t.totals(j), Doubles{} + t.count[j]);
        put(to, j, Sum{spread.hi[0], spread.lo[0], spread.bound[0]});
    }
}

template <Format format>
static void read_scanned(const void* tile, const Table& to) {
    using F =
        std::conditional_t<format == Format::f16, Float16,
                           std::conditional_t<format == Format::bf16, Bfloat16,
                                              std::conditional_t<format == Format::f32, Float32, Float64>>>;
    const auto read = [&](std::size_t j, std::size_t at) {
        const Sums sums = ColumnScan<F>::load_state(*static_cast<const SumTile*>(tile), at).total();
        put(to, j, sums.hi, sums.lo, sums.bound);
    };
    to.n < width ? read(0, 0) : each_strip(to.n, read);
}

template <Finalize finalize>
static void finalize_all(const Table& totals, double count, bool interval, const Table& to) {
    for (std::size_t j = 0; j < to.n; j += width) {
        const Words2 total{load<Doubles>(totals.row(0) + j), load<Doubles>(totals.row(1) + j),
                           load<Doubles>(totals.row(2) + j)};
        if (interval) {
            const Interval result = finalized<finalize>(total.hi, total.bound, Doubles{} + count);
            put(to, j, result.value, Doubles{}, result.bound);
        } else {
            const Words2 result = finalized_words<finalize, 88>(total, Doubles{} + count);
            put(to, j, result.hi, result.lo, result.bound);
        }
    }
}

static void finalize_totals(const Table& totals, const Finish& how, bool interval, const Table& to) {
    const double count = static_cast<double>(how.count);
    switch (how.finalize) {
        case Finalize::over_count:
            return finalize_all<Finalize::over_count>(totals, count, interval, to);
        case Finalize::root:
            return finalize_all<Finalize::root>(totals, count, interval, to);
        case Finalize::logarithm:
            return finalize_all<Finalize::logarithm>(totals, count, interval, to);
        default:
            return finalize_all<Finalize::itself>(totals, count, interval, to);
    }
}

static std::size_t test_totals(const Table& totals, const Finish& how, bool interval, void* out,
                               std::uint8_t* failed) {
    const Totals t{totals.row(0), totals.row(1), totals.row(2)};
    return interval ? certify_interval(t, totals.n, how, out, failed)
                    : certify_words(t, totals.n, how, out, failed);
}

// of(rows, first set, where the results go)
template <class F, class Of>
static void each_set(const void* x, std::ptrdiff_t row_stride, std::size_t rows, const Table& to, Of of) {
    const ShortRows all{static_cast<const char*>(x), row_stride, rows};
    each_short<width, F::size>(all, to.n, [&](const ShortRows& some, std::size_t j) { of(some, j); });
}

template <class F, Map map>
static void short_sums(const void* x, std::ptrdiff_t row_stride, std::size_t rows, const Table& to) {
    using Short = ShortSum<F, map, Finalize::itself>;
    const double count = static_cast<double>(rows);
    each_set<F>(x, row_stride, rows, to, [&](const ShortRows& some, std::size_t j) {
        typename Short::Part part;
        const char* p = some.p;
        for (std::size_t r = 0; r < some.count; ++r, p += some.stride) Short::take(part, p);
        const bool told = Short::tells || Short::exact;
        put(to, j, part.sum, Doubles{},
            told ? Short::bound_of(part, Short::inexact(part), count) : part.sum * ((count + 3) * 0x1p-53));
    });
}

template <Map map>
static void short_double_sums(const void* x, std::ptrdiff_t row_stride, std::size_t rows, const Table& to) {
    using Sum = ShortDoubleSum<map, Finalize::itself>;
    const double count = static_cast<double>(rows);
    each_set<Float64>(x, row_stride, rows, to, [&](const ShortRows& some, std::size_t j) {
        typename Sum::Part part;
        const char* p = some.p;
        for (std::size_t r = 0; r < some.count; ++r, p += some.stride) part.take(load<Doubles>(p));
        put(to, j, part.sum, part.rest, part.bound(count));
    });
}

template <class F>
static void short_products(const void* x, std::ptrdiff_t row_stride, std::size_t rows, const Table& to) {
    const Doubles none = {}, unknown = none + infinity;
    each_set<F>(x, row_stride, rows, to, [&](const ShortRows& some, std::size_t j) {
        Longs wild = {};
        const Doubles product = ShortProduct<F>::product_of_parts(some, wild);
        put(to, j, product, none, wild ? unknown : none + ShortProduct<F>::lost_of(rows));
    });
}

static void short_double_products(const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                                  const Table& to) {
    using Product = ShortDoubleProduct;
    const Doubles none = {}, unknown = none + infinity;
    const Product::Range range = Product::Range::of(rows);
    each_set<Float64>(x, row_stride, rows, to, [&](const ShortRows& some, std::size_t j) {
        Product::Part part;
        const char* p = some.p;
        for (std::size_t r = 0; r < some.count; ++r, p += some.stride) part.take(load<Doubles>(p), range);
        put(to, j, part.words.hi, part.words.lo,
            part.is_outside(range) ? unknown : none + Product::lost_of(rows));
    });
}

template <class F>
static bool prefixes_of(PrefixWay way, const Sum& sum, const void* x, const Table& to) {
    using Scan = FloatScan<F>;
    const char* const p = static_cast<const char*>(x);
    Carry carry;
    carry.sum = sum;
    const Carry part = Scan::total(x, to.n);
    const KnownPrefixes known{to.row(0), to.row(1), to.row(2)};
    switch (way) {
        case PrefixWay::exact:
            if constexpr (!Scan::is_double) return Scan::try_exact(carry, part, p, to.n, known);
            return false;
        case PrefixWay::plain:
            if constexpr (!Scan::is_double) return Scan::try_plain(carry, part, p, to.n, known);
            return false;
        case PrefixWay::grid:
            return Scan::try_grid(carry, part, p, to.n, known);
        default: {
            ScanWords words;
            Scan::words_of(sum, p, to.n, words);
            for (std::size_t i = 0; i < to.n; ++i) {
                to.row(0)[i] = words.hi[i];
                to.row(1)[i] = words.lo[i];
                to.row(2)[i] = words.bound[i];
            }
            return true;
        }
    }
}

template <class F, Format format>
static constexpr void fill(Certificates& c) {
    constexpr std::size_t at = static_cast<std::size_t>(format);
    if constexpr (format == Format::f64) {
        c.short_sets[at][0] = short_double_sums<Map::itself>;
        c.short_sets[at][1] = short_double_sums<Map::magnitude>;
        c.short_sets[at][2] = short_double_sums<Map::square>;
        c.short_sets[at][3] = short_double_products;
    } else {
        c.short_sets[at][0] = short_sums<F, Map::itself>;
        c.short_sets[at][1] = short_sums<F, Map::magnitude>;
        c.short_sets[at][2] = short_sums<F, Map::square>;
        c.short_sets[at][3] = short_products<F>;
    }
    c.prefixes[at] = prefixes_of<F>;
    c.scanned[at] = {3, read_scanned<format>};
}

void certify_smooth(Unary function, SmoothStep step, const Table& x, const Table& to);

static constexpr Certificates all_certificates() {
    Certificates c{};
    c.words = {3, read_words};
    c.spreads = {3, read_spreads};
    c.products = {5, read_products};
    c.exponentials = {5, read_exponentials};
    c.finalized = finalize_totals;
    c.tested = test_totals;
    fill<Float16, Format::f16>(c);
    fill<Bfloat16, Format::bf16>(c);
    fill<Float32, Format::f32>(c);
    fill<Float64, Format::f64>(c);
    c.elementary = elementary;
    c.smooth = certify_smooth;
    return c;
}

extern const Certificates certificates;
const Certificates certificates = all_certificates();

}  // namespace samesum::SAMESUM_ISA
