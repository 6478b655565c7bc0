
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "run/exact/widened.hpp"

namespace samesum {

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
