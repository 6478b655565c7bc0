// Exact totals of integers, finished in vectors: means and roots into integer formats, and everything into
// float formats. What doubles cannot tell fails.
#pragma once

#include <type_traits>

#include "kernels/certify/certify.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
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

// Sums of 64-bit terms modulo 2^64, and of their high halves.
template <bool has_sign>
struct SplitPart {
    UnsignedLongs sum = {};
    Longs high = {};

    SAMESUM_INLINE void take(UnsignedLongs term) {
        sum += term;
        high += has_sign ? reinterpret_cast<Longs>(term) >> 32 : reinterpret_cast<Longs>(term >> 32);
    }

    // The sum of the low halves.
    SAMESUM_INLINE Longs low() const {
        return reinterpret_cast<Longs>(sum - (reinterpret_cast<UnsignedLongs>(high) << 32));
    }

    SAMESUM_INLINE void join(const SplitPart& other) {
        sum += other.sum;
        high += other.high;
    }

    template <int distance>
    SAMESUM_INLINE SplitPart paired(const SplitPart& other) const {
        return {paired_low<distance>(sum, other.sum) + paired_high<distance>(sum, other.sum),
                paired_low<distance>(high, other.high) + paired_high<distance>(high, other.high)};
    }
};

// Sums of 64-bit terms of up to 2^31 - 1 elements: their halves are added apart.
template <class Integer, Map map>
struct SplitSum {
    static_assert(sizeof(Integer) == 8 && (map == Map::itself || map == Map::magnitude));
    static constexpr std::size_t size = sizeof(Integer);
    static constexpr std::int64_t half = UINT32_MAX;
    using Part = SplitPart<map == Map::itself && std::is_signed_v<Integer>>;

    struct Tile {
        std::int64_t high[tile_pitch], low[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static SAMESUM_INLINE UnsignedLongs terms(const char* p) {
        const UnsignedLongs x = load<UnsignedLongs>(p);
        if constexpr (map == Map::itself || !std::is_signed_v<Integer>) return x;
        return reinterpret_cast<Longs>(x) < 0 ? 0 - x : x;
    }

    // Fewer than a vector's, and zeros.
    static SAMESUM_INLINE UnsignedLongs terms(const char* p, std::size_t n) {
        char padded[width * size];
        pad<SplitSum>(p, n, padded);
        return terms(padded);
    }

    static void init(void* tile, std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        for (std::size_t j = 0; j < n; ++j) t.high[j] = t.low[j] = 0;
    }

    static SAMESUM_INLINE void add(Tile& t, std::size_t j, const Part& part) {
        store(t.high + j, load<Longs>(t.high + j) + part.high);
        store(t.low + j, load<Longs>(t.low + j) + part.low());
    }

    static SAMESUM_INLINE Part row_of(const char* p, std::size_t n) {
        constexpr std::size_t chains = 4;
        Part part[chains];
        std::size_t i = 0;
        for (; i + chains * width <= n; i += chains * width, p += chains * vector_bytes) {
            prefetch_run<chains * vector_bytes>(p);
            for_each_of<chains>([&](std::size_t k) { part[k].take(terms(p + k * vector_bytes)); });
        }
        for (; i + width <= n; i += width, p += vector_bytes) part[0].take(terms(p));
        if (i < n) part[1].take(terms(p, n - i));
        part[0].join(part[1]);
        part[2].join(part[3]);
        part[0].join(part[2]);
        return part[0];
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        std::size_t r = 0;
        for (; r + width <= rows; r += width) {
            Part row[width];
            for (std::size_t k = 0; k < width; ++k, p += row_stride) row[k] = row_of(p, n);
            add(t, j + r, folded_rows(row));
        }
        for (; r < rows; ++r, p += row_stride) {
            const Part all = folded_alone(row_of(p, n));
            t.high[j + r] += all.high[0];
            t.low[j + r] += all.low()[0];
        }
    }

    // The places of a tile after its last columns may be added to.
    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Tile& t, const char* p, std::ptrdiff_t row_stride, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width, p += vector_bytes) {
            prefetch_rows<rows>(p + static_cast<std::ptrdiff_t>(rows) * row_stride, row_stride, vector_bytes);
            Part part;
            for_each_of<rows>([&](std::size_t r) {
                const char* const row = p + static_cast<std::ptrdiff_t>(r) * row_stride;
                part.take(n - j < width ? terms(row, n - j) : terms(row));
            });
            add(t, j, part);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::size_t at_once = 4;
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        std::size_t r = 0;
        for (; r + at_once <= rows; r += at_once, p += static_cast<std::ptrdiff_t>(at_once) * row_stride)
            add_rows<at_once>(t, p, row_stride, n);
        for (; r < rows; ++r, p += row_stride) add_rows<1>(t, p, row_stride, n);
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Tile& t = *static_cast<Tile*>(tile);
        t.high[j] += static_cast<const Tile*>(from)->high[i];
        t.low[j] += static_cast<const Tile*>(from)->low[i];
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Tile& t = *static_cast<const Tile*>(tile);
        const auto total_at = [&t](std::size_t j) {
            const Longs low = load<Longs>(t.low + j), high = load<Longs>(t.high + j) + (low >> 32);
            return whole_total<52>(high >> 20, (high & 0xfffff) << 32 | (low & half));
        };
        return finish_whole(total_at, n, how, out, failed);
    }

    static constexpr Method method() {
        return {tile_columns, init, lanes, columns, each_merge<merge>, finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
