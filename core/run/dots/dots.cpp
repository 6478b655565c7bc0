#include "run/dots/dots.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = static_cast<std::int64_t>(block_elements);

// Some rows of one operand: vectors beside each other, or elements of neighbouring vectors.
struct OperandRows {
    const char* data;
    std::int64_t row, step;  // bytes from row to row, and from element to element of one
    std::size_t size;
    bool swapped;

    bool lies() const { return !swapped && step == static_cast<std::int64_t>(size); }
    OperandRows from(std::int64_t rows, std::int64_t elements) const {
        return {data + rows * row + elements * step, row, step, size, swapped};
    }

    // Of rows that repeat one copy will do.
    OperandRows copied(std::int64_t rows, std::int64_t n, char* to, std::int64_t pitch) const {
        const std::int64_t item = static_cast<std::int64_t>(size), copies = row == 0 ? 1 : rows;
        if (copies == 1 || std::abs(step) <= std::abs(row)) {
            for (std::int64_t r = 0; r < copies; ++r)
                gather(data + r * row, step, static_cast<std::size_t>(n), size, swapped, to + r * pitch);
        } else {
            for (std::int64_t c = 0; c < n; ++c)
                copy_elements(data + c * step, row, to + c * item, pitch, static_cast<std::size_t>(copies),
                              size, swapped);
        }
        return {to, row == 0 ? 0 : pitch, item, size, false};
    }
};

// Those of both, `rows` of n elements; with `repeats` each row of the other is one element.
struct Pairs {
    OperandRows one, other;
    std::int64_t rows, n;
    bool repeats = false;

    bool lie() const { return one.lies() && (repeats || other.lies()); }
    // add(pair, stride of its rows, number of the first, how many, elements of each) of pieces that lie side
    // by side, of at most so many rows and elements.
    template <class Add>
    void each_piece(std::int64_t most_rows, std::int64_t most_elements, const Add& add) const {
        const std::int64_t item = static_cast<std::int64_t>(one.size), pitch = most_elements * item + 64;
        const Scratch room(static_cast<std::size_t>(lie() ? 64 : 2 * most_rows * pitch));
        for (std::int64_t r = 0; r < rows; r += most_rows) {
            const std::int64_t some = std::min(most_rows, rows - r);
            for (std::int64_t i = 0; i < n; i += most_elements) {
                const std::int64_t now = std::min(most_elements, n - i);
                OperandRows x = one.from(r, i), y = other.from(r, repeats ? 0 : i);
                if (!x.lies()) x = x.copied(some, now, room.get(), pitch);
                if (!repeats && !y.lies()) y = y.copied(some, now, room.get() + most_rows * pitch, pitch);
                add(PairRows{x.data, y.data, y.row, repeats}, x.row, static_cast<std::size_t>(r),
                    static_cast<std::size_t>(some), static_cast<std::size_t>(now));
            }
        }
    }
};

// `rows` vectors whose neighbours lie as `side` says, and their elements [begin, end) as `run` does, to
// columns from number j on.
void add_vectors(const Plan& plan, const Method& method, const char* x, const char* other, const Dim& side,
                 const Dim& run, std::int64_t rows, std::int64_t begin, std::int64_t end, std::size_t j,
                 void* tile) {
    const std::size_t size = size_of(plan.format);
    const Pairs pairs{{x + begin * run.in, side.in, run.in, size, plan.swapped},
                      {other + begin * run.mask, side.mask, run.mask, size, plan.other_swapped},
                      rows,
                      end - begin};
    constexpr std::int64_t together = 64;
    const std::int64_t some = pairs.lie() ? rows : std::min(rows, together),
                       fitting = dot_copied_bytes / (some * static_cast<std::int64_t>(size)),
                       most = pairs.lie() ? block : std::clamp<std::int64_t>(fitting, together, block);
    record(pairs.lie() ? Route::dot_rows : Route::dot_rows_copied);
    pairs.each_piece(some, most,
                     [&](const PairRows& pair, std::ptrdiff_t stride, std::size_t first, std::size_t now,
                         std::size_t n) { method.lanes(tile, j + first, &pair, n, stride, now); });
}

void add_columns(const Plan& plan, const Method& method, const Range& range, std::int64_t fold, void* tile) {
    const Dim row = plan.reduced.rank > 0 ? plan.reduced.dim[0] : Dim{1, 0, 0, 0}, &inner = plan.inner;
    const MaskWalk place(plan, range.outer);
    const std::size_t size = size_of(plan.format);
    Pairs pairs{
        {place.x() + range.first * inner.in + range.begin * row.in, row.in, inner.in, size, plan.swapped},
        {place.mask() + range.first * inner.mask + range.begin * row.mask, row.mask, inner.mask, size,
         plan.other_swapped},
        range.end - range.begin,
        range.last - range.first,
        inner.mask == 0 && !plan.other_swapped};
    const auto add = [&](const Pairs& some) {
        const std::int64_t bytes = some.n * static_cast<std::int64_t>(size),
                           most = some.lie() ? block
                                             : std::clamp<std::int64_t>(dot_copied_bytes / bytes, 8, block);
        some.each_piece(most, some.n,
                        [&](const PairRows& pair, std::ptrdiff_t stride, std::size_t, std::size_t rows,
                            std::size_t n) { method.columns(tile, &pair, stride, rows, n); });
    };
    record(fold > 1      ? Route::dot_columns_folded
           : pairs.lie() ? Route::dot_columns
                         : Route::dot_columns_copied);
    if (fold == 1) return add(pairs);
    // Rows that lie side by side: several as one.
    const std::int64_t sets = pairs.rows / fold, rest = pairs.rows % fold;
    Pairs last{pairs.one.from(sets * fold, 0), pairs.other.from(sets * fold, 0), 1, rest * pairs.n};
    pairs.one.row *= fold, pairs.other.row *= fold;
    pairs.rows = sets, pairs.n *= fold;
    if (sets > 0) add(pairs);
    if (rest > 0) add(last);
}

// Sums of products in the superaccumulator.
template <Format format>
struct ExactPairs {
    static constexpr std::size_t some = 1024, size = size_of(format);

    static void lanes(void* tile, std::size_t j, const void* pair, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        const PairRows& all = *static_cast<const PairRows*>(pair);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = static_cast<std::ptrdiff_t>(r);
            add_products(static_cast<Superaccumulator*>(tile)[j + r], all.x + row * row_stride,
                         all.other + row * all.other_stride, n, format);
        }
    }

    static void columns(void* tile, const void* pair, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const PairRows& all = *static_cast<const PairRows*>(pair);
        char x[some * size], other[some * size];
        for (std::size_t r = 0; r < rows; r += some) {
            const std::size_t now = std::min(some, rows - r);
            const auto row = static_cast<std::ptrdiff_t>(r);
            for (std::size_t j = 0; j < n; ++j) {
                gather(all.x + row * row_stride + j * size, row_stride, now, size, false, x);
                gather(all.other + row * all.other_stride + (all.repeats ? 0 : j * size), all.other_stride,
                       now, size, false, other);
                add_products(static_cast<Superaccumulator*>(tile)[j], x, other, now, format);
            }
        }
    }

    static Method method() {
        Method m = exact_method(format, Map::itself);
        m.lanes = lanes;
        m.columns = columns;
        return m;
    }
};

std::uint64_t byte_bits(double hi, double lo, Format format) {
    if (hi == 0) return 0;
    const char* const p = reinterpret_cast<const char*>(&hi);
    Element x = float_at<Format::f64>(p);
    x.exponent -= 10;  // room below for a word of the other sign
    x.significand <<= 10;
    if (lo != 0 && (lo < 0) != x.negative) --x.significand;
    return round_to_format(leading_of(x.significand, x.exponent, lo != 0), x.negative, format);
}

// hi + lo, at most `bound` from the exact total, rounded to a byte float; false where that is not certain.
bool round_to_byte(const Sum& total, Format format, std::uint64_t& bits) {
    double hi, lo;
    two_sum(total.hi, total.lo, hi, lo);
    if (!(magnitude(hi) < 0x1p1000) || !(total.bound < 0x1p900)) return false;
    // The roundings of these are less than a tenth of the bound, or than the last place of `lo`. (Lemma 79)
    const double by = total.bound > 0 ? total.bound * 1.125 + magnitude(lo) * 0x1p-50 + 0x1p-1060 : 0;
    bits = byte_bits(hi, lo - by, format);
    return bits == byte_bits(hi, lo + by, format) && magnitude(lo) + by <= magnitude(hi) * 0x1p-53;
}

template <Format format>
std::size_t finish_bytes(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    const auto total = current_instruction_set().dots->total[static_cast<std::size_t>(format)];
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) {
        std::uint64_t bits = 0;
        failed[j] = !round_to_byte(total(tile, j, how.count), how.format, bits);
        failures += failed[j];
        store_bits(out, j, bits, 1);
    }
    return failures;
}

Tiers tiers_of(Format in, Format out) {
    const DotMethods& all = *current_instruction_set().dots;
    Tiers tiers;
    tiers.work = 2;
    if (!is_float(in)) {
        tiers.push(all.integers[std::countr_zero(size_of(in))], 0, Route::wrapping_sums);
        return tiers;
    }
    in_float_format(in, [&]<Format format>() {
        static const Method exact = ExactPairs<format>::method();
        Method words = all.floats[static_cast<std::size_t>(format)];
        if (is_byte_float(out)) words.finish = finish_bytes<format>;
        tiers.push(words, 1, Route::double_words);
        tiers.push(exact, 2, Route::dot_exact);
    });
    return tiers;
}

}  // namespace

void accumulate_pairs(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                      void* tile) {
    if (plan.shape == Shape::columns) return add_columns(plan, method, range, fold, tile);
    const Dim side = plan.kept.rank > 0 ? plan.kept.dim[plan.kept.rank - 1] : Dim{1, 0, 0, 0};
    for (std::int64_t o = range.first, rows; o < range.last; o += rows) {
        rows = std::min(range.last - o, side.size - o % side.size);
        const MaskWalk place(plan, o);
        add_vectors(plan, method, place.x(), place.mask(), side, plan.inner, rows, range.begin, range.end,
                    static_cast<std::size_t>(o - range.first), tile);
    }
}

void dot_products(const View& x, const bool* reduced, Format result, void* out) {
    const Plan plan = plan_reduction(x, reduced, {});
    const Target target{
        tiers_of(x.format, result), {Finalize::itself, result, plan.reduced_count}, static_cast<char*>(out)};
    run_job(plan, &target, 1);
}

}  // namespace samesum
