#include "run/exact/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "exact/states.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

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

// A run of elements: columns are copied side by side.
template <Format format, Map map>
void add_run(Superaccumulator& total, const char* p, std::ptrdiff_t stride, std::size_t n) {
    constexpr std::size_t size = size_of(format);
    const auto add = [&](const char* x, std::size_t some) {
        add_elements<format, map>(total, x, size, some);
    };
    if (stride == static_cast<std::ptrdiff_t>(size)) return add_blocks(total, p, n, format, map, add);
    if (static_cast<std::int64_t>(n) < few_exact_rows) return add_elements<format, map>(total, p, stride, n);
    alignas(64) char run[scan_elements * size];
    for (std::size_t now; n > 0; n -= now, p += static_cast<std::ptrdiff_t>(now) * stride) {
        now = std::min(n, scan_elements);
        gather(p, stride, now, size, false, run);
        add_blocks(total, run, now, format, map, add);
    }
}

template <Format format, Map map>
constexpr Method exact_sums = States<Superaccumulator, format, add_run<format, map>>::method;

}  // namespace

template <class Total>
void add_block(Total& total, const char* x, std::size_t n, Format in) {
    add_blocks(total, x, n, in, Map::itself,
               [&](const char* p, std::size_t some) { add_elements(total, p, some, in); });
}
template void add_block(Superaccumulator&, const char*, std::size_t, Format);
template void add_block(RunningTotal&, const char*, std::size_t, Format);

const Method& exact_sum_method(Format in, Map map) {
    return *in_float_format(in, [=]<Format f>() {
        static constexpr const Method* by_map[] = {
            &exact_sums<f, Map::itself>, &exact_sums<f, Map::magnitude>, &exact_sums<f, Map::square>};
        return by_map[static_cast<std::size_t>(map)];
    });
}

const Method& exact_variance_method(Format in) {
    if (is_byte_float(in)) return byte_variance_method(in);
    if (!is_float(in)) return wide_variance_method(in);
    return *in_float_format(in, []<Format f>() {
        return &Variance<Superaccumulator, Superaccumulator, f, add_run<f, Map::itself>,
                         add_run<f, Map::square>>::method;
    });
}

namespace {

const Method& words() { return current_instruction_set().exponentials->words; }

// What is NaN had a greatest element that is no double.
void doubt_nans(Format format, const void* results, std::size_t n, std::uint8_t* failed) {
    const std::uint64_t nan = canonical_nan(format);
    const std::size_t size = size_of(format);
    for (std::size_t j = 0; j < n; ++j) {
        std::uint64_t bits;
        store_bits(&bits, 0, nan, size);
        failed[j] |= std::memcmp(static_cast<const char*>(results) + j * size, &bits, size) == 0 ? 1 : 0;
    }
}

// A double that is no integer is truncated as the exact value is.
void truncate(const double* results, std::size_t n, Format format, void* out, std::uint8_t* failed) {
    for (std::size_t j = 0; j < n; ++j) {
        const double whole = std::trunc(results[j]);
        if (!(whole < results[j] || whole > results[j])) failed[j] = 1;
        const std::int64_t result = failed[j] ? 0 : static_cast<std::int64_t>(whole);
        store_bits(out, j, static_cast<std::uint64_t>(result), size_of(format));
    }
}

std::size_t finish_integers(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    if (is_float(how.format)) {
        words().finish(tile, n, how, out, failed);
        doubt_nans(how.format, out, n, failed);
    } else {
        double results[tile_columns];
        words().finish(tile, n, {how.finalize, Format::f64, how.count}, results, failed);
        truncate(results, n, how.format, out, failed);
    }
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) failures += failed[j];
    return failures;
}

}  // namespace

Method exponential_words_method(Format in) {
    Method method = Widened<words>::method(in);
    if (!is_float(in)) method.finish = finish_integers;
    return method;
}

}  // namespace samesum
