#include "run/exact/exponential_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

const ExponentialMethods& methods() { return *current_instruction_set().exponentials; }

// What is NaN had a greatest element that is no double.
template <class Bits>
void doubt_nans(const void* results, std::size_t n, std::uint64_t nan, std::uint8_t* failed) {
    const char* const p = static_cast<const char*>(results);
    for (std::size_t j = 0; j < n; ++j) {
        Bits bits;
        std::memcpy(&bits, p + j * sizeof bits, sizeof bits);
        failed[j] |= static_cast<std::uint8_t>(bits == static_cast<Bits>(nan));
    }
}

void doubt_nans(Format format, const void* results, std::size_t n, std::uint8_t* failed) {
    const std::uint64_t nan = canonical_nan(format);
    switch (size_of(format)) {
        case 2:
            return doubt_nans<std::uint16_t>(results, n, nan, failed);
        case 4:
            return doubt_nans<std::uint32_t>(results, n, nan, failed);
        default:
            return doubt_nans<std::uint64_t>(results, n, nan, failed);
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

// The tiles of all integers' sums are those of doubles.
std::size_t finish_tile(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    return methods().whole[0].finish(tile, n, how, out, failed);
}

std::size_t finish_integers(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    if (is_float(how.format)) {
        finish_tile(tile, n, how, out, failed);
        doubt_nans(how.format, out, n, failed);
    } else {
        double results[tile_columns];
        finish_tile(tile, n, {how.finalize, Format::f64, how.count}, results, failed);
        truncate(results, n, how.format, out, failed);
    }
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; ++j) failures += failed[j];
    return failures;
}

std::size_t finish_floats(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    return methods().words.finish(tile, n, how, out, failed);
}

template <Format format>
void widen_floats(const char* p, std::size_t n, double* to) {
    current_instruction_set().norms->widen[static_cast<std::size_t>(format)](p, n, to);
}

template <class Integer>
void widen_integers(const char* p, std::size_t n, double* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = double_or_nan(bits_at<Integer>(p + i * sizeof(Integer)));
}

// Elements of `size` bytes, some of which at a time are written out as doubles.
template <std::size_t size, void (*widen)(const char* p, std::size_t n, double* to)>
struct Widened {
    static void init(void* tile, std::size_t n) { methods().words.init(tile, n); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        alignas(64) double block[block_elements];
        widen(static_cast<const char*>(x), n, block);
        methods().words.lanes(tile, j, block, n, 0, 1);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        alignas(64) double block[block_elements];
        const std::size_t most = block_elements / n;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += most) {
            const std::size_t now = std::min(most, rows - r);
            for (std::size_t i = 0; i < now; ++i, p += row_stride) widen(p, n, block + i * n);
            methods().words.columns(tile, block, static_cast<std::ptrdiff_t>(n * sizeof(double)), now, n);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n) {
        methods().words.merge(tile, j, from, i, n);
    }

    static constexpr Method finished(decltype(Method::finish) finish) {
        return {tile_columns, init, each_lane<lane>, columns, merge, finish};
    }
};

template <Format format>
constexpr Method floats = Widened<size_of(format), widen_floats<format>>::finished(finish_floats);

template <class Integer>
constexpr Method integers = Widened<sizeof(Integer), widen_integers<Integer>>::finished(finish_integers);

}  // namespace

const Method& exponential_words_method(Format in) {
    static constexpr Method all[] = {
        floats<Format::f16>,    floats<Format::bf16>,    floats<Format::f32>,     {},
        integers<std::int8_t>,  integers<std::int16_t>,  integers<std::int32_t>,  integers<std::int64_t>,
        integers<std::uint8_t>, integers<std::uint16_t>, integers<std::uint32_t>, integers<std::uint64_t>,
        integers<std::uint8_t>};
    return in == Format::f64 ? methods().words : all[static_cast<std::size_t>(in)];
}

Method integer_exponential_method(Format in) {
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    Method method = methods().whole[index];
    method.finish = finish_integers;
    return method;
}

}  // namespace samesum
