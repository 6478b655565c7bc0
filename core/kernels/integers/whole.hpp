// Exact totals of integers, finished in vectors: means and roots into integer formats, and everything into
// float formats. What doubles cannot tell fails.
#pragma once

#include <type_traits>

#include "kernels/certify/certify.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// A total as two doubles whose sum it is exactly.
struct WholeTotal {
    Doubles high, low;
};

SAMESUM_INLINE Doubles doubles_of(Longs x) { return __builtin_convertvector(x, Doubles); }

// high * 2^shift + low, for low words below 2^shift <= 2^52.
template <int shift>
SAMESUM_INLINE WholeTotal whole_total(Longs high, Longs low) {
    return {doubles_of(high) * static_cast<double>(std::uint64_t{1} << shift), doubles_of(low)};
}

// Of a mean toward zero, of a root downwards; the total is a whole number up to 2^53.
template <Finalize finalize>
SAMESUM_INLINE Doubles truncated(Doubles total, double count) {
    const Doubles none = {}, counts = none + count;
    if constexpr (finalize == Finalize::over_count) {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(total);
        const Doubles q = doubles_of(__builtin_convertvector(size / counts, Longs));
        const Doubles whole = fused(-q, counts, size) < 0 ? q - 1 : q;
        return total < 0 ? -whole : whole;
    } else {
        const Doubles q = doubles_of(__builtin_convertvector(square_root(total), Longs));
        return fused(-q, q, total) < 0 ? q - 1 : q;
    }
}

SAMESUM_INLINE void store_whole(void* out, std::size_t size, Longs values) {
    switch (size) {
        case 1:
            return store(out, __builtin_convertvector(values, Bytes));
        case 2:
            return store(out, __builtin_convertvector(values, Shorts));
        case 4:
            return store(out, __builtin_convertvector(values, Words));
        default:
            return store(out, values);
    }
}

// `total_at(j)` gives the totals of columns j and on.
template <Finalize finalize, class TotalAt>
std::size_t finish_truncated(const TotalAt& total_at, std::size_t n, const Finish& how, void* out,
                             std::uint8_t* failed) {
    constexpr double exact_limit = 0x1p53;
    const std::size_t size = size_of(how.format);
    const double count = static_cast<double>(how.count);
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; j += width) {
        const WholeTotal total = total_at(j);
        const Doubles sum = total.high + total.low;
        const Bytes wrong = __builtin_convertvector(
            narrowed_mask(samesum::SAMESUM_ISA::magnitude(sum) >= exact_limit) & 1, Bytes);
        char results[width * sizeof(std::int64_t)];
        store_whole(results, size, __builtin_convertvector(truncated<finalize>(sum, count), Longs));
        const std::size_t here = n - j < width ? n - j : width;
        std::memcpy(static_cast<char*>(out) + j * size, results, here * size);
        std::memcpy(failed + j, &wrong, here);
        for (std::size_t k = 0; k < here; ++k) failures += failed[j + k];
    }
    return failures;
}

template <class TotalAt>
std::size_t finish_whole(const TotalAt& total_at, std::size_t n, const Finish& how, void* out,
                         std::uint8_t* failed) {
    if (!is_float(how.format)) {
        return how.finalize == Finalize::root
                   ? finish_truncated<Finalize::root>(total_at, n, how, out, failed)
                   : finish_truncated<Finalize::over_count>(total_at, n, how, out, failed);
    }
    constexpr std::size_t batch = 256;
    alignas(64) double high[batch], low[batch];
    alignas(64) const double exact[batch] = {};
    std::size_t failures = 0;
    for (std::size_t at = 0; at < n; at += batch) {
        const std::size_t now = n - at < batch ? n - at : batch;
        for (std::size_t j = 0; j < now; j += width) {
            const WholeTotal total = total_at(at + j);
            store(high + j, total.high);
            store(low + j, total.low);
        }
        failures += certify_words({high, low, exact}, now, how,
                                  static_cast<char*>(out) + at * size_of(how.format), failed + at);
    }
    return failures;
}

// Of tiles of 64-bit totals that did not wrap.
template <bool has_sign>
std::size_t finish_totals(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
    const auto total_at = [tile](std::size_t j) {
        const Longs bits = load<Longs>(static_cast<const std::int64_t*>(tile) + j);
        const Longs high =
            has_sign ? bits >> 32 : reinterpret_cast<Longs>(reinterpret_cast<UnsignedLongs>(bits) >> 32);
        return whole_total<32>(high, bits & UINT32_MAX);
    };
    return finish_whole(total_at, n, how, out, failed);
}

}  // namespace samesum::SAMESUM_ISA
