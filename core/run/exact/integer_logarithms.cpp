#include "run/exact/integer_logarithms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/methods.hpp"
#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

const Method& of_doubles() {
    return current_instruction_set().exponentials->sum2[static_cast<std::size_t>(Format::f64)];
}

template <class Integer>
void convert(const char* p, std::size_t n, double* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = double_or_nan(bits_at<Integer>(p + i * sizeof(Integer)));
}

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
    return current_instruction_set().exponentials->whole[0].finish(tile, n, how, out, failed);
}

std::size_t finish_sums(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
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

template <class Integer>
struct Converted {
    static void init(void* tile, std::size_t n) { of_doubles().init(tile, n); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        alignas(64) double block[block_elements];
        convert<Integer>(static_cast<const char*>(x), n, block);
        of_doubles().lanes(tile, j, block, n, 0, 1);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        alignas(64) double block[block_elements];
        const std::size_t most = block_elements / n;
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += most) {
            const std::size_t now = std::min(most, rows - r);
            for (std::size_t i = 0; i < now; ++i, p += row_stride) convert<Integer>(p, n, block + i * n);
            of_doubles().columns(tile, block, static_cast<std::ptrdiff_t>(n * sizeof(double)), now, n);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i, std::size_t n) {
        of_doubles().merge(tile, j, from, i, n);
    }

    static constexpr Method method{tile_columns, init, each_lane<lane>, columns, merge, finish_sums};
};

// The whole parts of e^k for k from 1 on, up to 2^64; none of them is a power itself.
constexpr std::array<std::uint64_t, 44> powers = {2,
                                                  7,
                                                  20,
                                                  54,
                                                  148,
                                                  403,
                                                  1096,
                                                  2980,
                                                  8103,
                                                  22026,
                                                  59874,
                                                  162754,
                                                  442413,
                                                  1202604,
                                                  3269017,
                                                  8886110,
                                                  24154952,
                                                  65659969,
                                                  178482300,
                                                  485165195,
                                                  1318815734,
                                                  3584912846,
                                                  9744803446,
                                                  26489122129,
                                                  72004899337,
                                                  195729609428,
                                                  532048240601,
                                                  1446257064291,
                                                  3931334297144,
                                                  10686474581524,
                                                  29048849665247,
                                                  78962960182680,
                                                  214643579785916,
                                                  583461742527454,
                                                  1586013452313430,
                                                  4311231547115195,
                                                  11719142372802611,
                                                  31855931757113756,
                                                  86593400423993746,
                                                  235385266837019985,
                                                  639843493530054949,
                                                  1739274941520501047,
                                                  4727839468229346561,
                                                  12851600114359308275u};

std::uint64_t exact_logarithm(__int128 total, const Finish& how) {
    const bool negative = total < 0;
    const u128 size = negative ? 0 - static_cast<u128>(total) : static_cast<u128>(total);
    if (!is_float(how.format) && total > 0 && size >> 64 == 0) {
        const auto above = std::lower_bound(powers.begin(), powers.end(), static_cast<std::uint64_t>(size));
        return static_cast<std::uint64_t>(above - powers.begin());
    }
    Superaccumulator sum;
    sum.add_wide(size, 0, negative);
    return sum.rounded(how);
}

template <class TotalAt>
std::size_t finish_logarithms(std::size_t n, const Finish& how, void* out, std::uint8_t* failed,
                              const TotalAt& total_at) {
    for (std::size_t j = 0; j < n; ++j)
        store_bits(out, j, exact_logarithm(total_at(j), how), size_of(how.format));
    std::memset(failed, 0, n);
    return 0;
}

}  // namespace

std::size_t finish_signed_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                     std::uint8_t* failed) {
    const auto total = [&](std::size_t j) -> __int128 { return static_cast<const std::int64_t*>(tile)[j]; };
    return finish_logarithms(n, how, out, failed, total);
}

std::size_t finish_unsigned_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                       std::uint8_t* failed) {
    const auto total = [&](std::size_t j) -> __int128 { return static_cast<const std::uint64_t*>(tile)[j]; };
    return finish_logarithms(n, how, out, failed, total);
}

std::size_t finish_wide_logarithms(void* tile, std::size_t n, const Finish& how, void* out,
                                   std::uint8_t* failed) {
    return finish_logarithms(n, how, out, failed, [&](std::size_t j) { return wide_total(tile, j); });
}

Method quick_exponential_method(Format in) {
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    Method method = current_instruction_set().exponentials->whole[index];
    method.finish = finish_sums;
    return method;
}

const Method& integer_exponential_method(Format in) {
    switch (in) {
        case Format::i8:
            return Converted<std::int8_t>::method;
        case Format::i16:
            return Converted<std::int16_t>::method;
        case Format::i32:
            return Converted<std::int32_t>::method;
        case Format::i64:
            return Converted<std::int64_t>::method;
        case Format::u16:
            return Converted<std::uint16_t>::method;
        case Format::u32:
            return Converted<std::uint32_t>::method;
        case Format::u64:
            return Converted<std::uint64_t>::method;
        default:
            return Converted<std::uint8_t>::method;
    }
}

}  // namespace samesum
