#include "run/exact/exact_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "exact/moments/moments.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "kernels/instruction_set.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

// The sums of the elements in one half of a tile, those of their squares in the other.
template <Format format>
struct ExactVariance {
    static constexpr bool is_real = is_float(format) && !is_byte_float(format);
    static constexpr std::size_t half = tile_bytes / 128 * 64, largest_state = 32,
                                 state = is_real ? sizeof(Superaccumulator) : largest_state,
                                 capacity = std::min(half / state, tile_columns);

    static const Method& of(Map map) {
        if constexpr (is_byte_float(format))
            return byte_sum_method(format, map);
        else if constexpr (is_float(format))
            return exact_sum_method(format, map);
        else
            return wide_method(format, map);
    }
    static const Method& sums() { return of(Map::itself); }
    static const Method& squares() { return of(Map::square); }

    static void* second(void* tile) { return static_cast<char*>(tile) + half; }
    static const void* second(const void* tile) { return static_cast<const char*>(tile) + half; }

    static void init(void* tile, std::size_t n) {
        sums().init(tile, n);
        squares().init(second(tile), n);
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        sums().lanes(tile, j, x, n, row_stride, rows);
        squares().lanes(second(tile), j, x, n, row_stride, rows);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        sums().columns(tile, x, row_stride, rows, n);
        squares().columns(second(tile), x, row_stride, rows, n);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n) {
        sums().merge(tile, j, from, i, n);
        squares().merge(second(tile), j, second(from), i, n);
    }

    static Superaccumulator total(const void* states, std::size_t j, Map map) {
        if constexpr (is_real)
            return static_cast<const Superaccumulator*>(states)[j];
        else if constexpr (is_byte_float(format))
            return byte_total(format, map, states, j);
        else
            return wide_total_of(static_cast<const WholeWords*>(states)[j]);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const bool is_root = how.finalize == Finalize::root;
        const Moment moment{is_root ? MomentKind::deviation : MomentKind::variance, how.format, how.count,
                            how.correction};
        for (std::size_t j = 0; j < n; ++j) {
            const std::uint64_t bits =
                rounded_moment(total(tile, j, Map::itself), total(second(tile), j, Map::square), moment);
            store_bits(out, j, bits, size_of(how.format));
            failed[j] = 0;
        }
        return 0;
    }

    static constexpr Method method{capacity, init, lanes, columns, merge, finish};
};

}  // namespace

const Method& exact_variance_method(Format in) {
    return *in_any_format(in, []<Format f>() { return &ExactVariance<f>::method; });
}

namespace {

// n float64 times a power of two, which is returned: zero where that would not be exact. The first element
// tells which way.
int scaled_block(const char* x, std::size_t n, double* to) {
    constexpr int octaves = 600;
    const int power = magnitude(bits_at<double>(x)) > 1 ? -octaves : octaves;
    const double scale = std::ldexp(1.0, power), back = std::ldexp(1.0, -power);
    int exact = 1;
    for (std::size_t i = 0; i < n; ++i) {
        const double v = bits_at<double>(x + i * sizeof v);
        to[i] = v * scale;
        exact &= to[i] * back == v ? 1 : 0;
    }
    return exact != 0 ? power : 0;
}

// How many of n <= exact_elements elements were added as the whole numbers that their block has on its grids:
// none where it has none. Grids reach from 2^-700 to 2^900; blocks beyond are scaled.
template <class Total>
std::size_t add_whole(Total& total, const char* x, std::size_t n, Format in, Map map) {
    if (static_cast<std::int64_t>(n) < few_exact_rows || !total.is_finite()) return 0;
    const auto& blocks = current_instruction_set().kept_blocks->block[static_cast<std::size_t>(in)];
    const auto lane = blocks[static_cast<std::size_t>(map)].lane;
    KeptPart sum{.exponent = 0};
    std::size_t taken = lane(sum, x, n);
    int octaves = 0;
    // A running total has no room for what lies below the least number.
    if (taken == 0 && in == Format::f64 && std::is_same_v<Total, Superaccumulator>) {
        alignas(64) double scaled[exact_elements];
        octaves = scaled_block(x, n, scaled) * (map == Map::square ? 2 : 1);
        sum = {.exponent = 0};
        if (octaves != 0) taken = lane(sum, scaled, n);
    }
    if (taken == 0) return 0;
    for (std::size_t i = 0; i < kept_parts; ++i)
        add_units(total, sum.part[i], sum.exponent + kept_units[i] - octaves);
    for (std::size_t i = 0; i < std::size(deep_units); ++i)
        add_units(total, sum.deep[i], sum.exponent + deep_units[i] - octaves);
    return taken;
}

// add(elements, how many) of those that are left.
template <class Total, class Add>
void add_blocks(Total& total, const char* x, std::size_t n, Format in, Map map, const Add& add) {
    for (std::size_t now; n > 0; n -= now, x += now * size_of(in)) {
        const std::size_t block = std::min(exact_elements, n);
        now = add_whole(total, x, block, in, map);
        if (now > 0) continue;
        record(Route::state_exact_blocks);
        add(x, now = block);
    }
}

template <Format format, Map map>
struct ExactSums {
    static constexpr std::size_t size = size_of(format);
    // Columns that are transposed together, and from one to the next of them, in elements.
    static constexpr std::size_t together = 8, pitch = scan_elements + 8;

    static Superaccumulator* states(void* tile) { return static_cast<Superaccumulator*>(tile); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Superaccumulator& total = states(tile)[j];
        add_blocks(total, static_cast<const char*>(x), n, format, map,
                   [&](const char* p, std::size_t some) { add_elements<format, map>(total, p, size, some); });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const char* p = static_cast<const char*>(x);
        const bool is_aligned = reinterpret_cast<std::uintptr_t>(p) % size == 0 &&
                                row_stride % static_cast<std::ptrdiff_t>(size) == 0;
        if (static_cast<std::int64_t>(rows) < few_exact_rows || !is_aligned)
            return exact_method(format, map).columns(tile, x, row_stride, rows, n);
        for (std::size_t r = 0; r < rows; r += scan_elements) {
            const char* row = p + static_cast<std::ptrdiff_t>(r) * row_stride;
            add_rows(tile, row, row_stride, std::min(scan_elements, rows - r), n);
        }
    }

    static void add_rows(void* tile, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                         std::size_t n) {
        const auto to_columns = current_instruction_set().transposes->any[std::countr_zero(size)];
        alignas(64) char runs[together * pitch * size];
        for (std::size_t j = 0; j < n; j += together) {
            const std::size_t now = std::min(together, n - j);
            to_columns(p + j * size, row_stride / static_cast<std::ptrdiff_t>(size), now, rows, runs, pitch);
            for (std::size_t k = 0; k < now; ++k) lane(tile, j + k, runs + k * pitch * size, rows);
        }
    }

    static Method method() {
        Method m = exact_method(format, map);
        m.lanes = each_lane<lane>;
        m.columns = columns;
        return m;
    }
};

template <Format format>
std::array<Method, 3> by_map() {
    return {ExactSums<format, Map::itself>::method(), ExactSums<format, Map::magnitude>::method(),
            ExactSums<format, Map::square>::method()};
}

}  // namespace

template <class Total>
void add_block(Total& total, const char* x, std::size_t n, Format in) {
    add_blocks(total, x, n, in, Map::itself,
               [&](const char* p, std::size_t some) { add_elements(total, p, some, in); });
}
template void add_block(Superaccumulator&, const char*, std::size_t, Format);
template void add_block(RunningTotal&, const char*, std::size_t, Format);

const Method& exact_sum_method(Format in, Map map) {
    static const std::array<Method, 3> methods[] = {by_map<Format::f16>(), by_map<Format::bf16>(),
                                                    by_map<Format::f32>(), by_map<Format::f64>()};
    return methods[static_cast<std::size_t>(in)][static_cast<std::size_t>(map)];
}

}  // namespace samesum
