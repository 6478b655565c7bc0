#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/methods.hpp"

namespace samesum {

namespace {

std::uint64_t rounded(__int128 value, Format format) {
    constexpr __int128 exact_limit = __int128{1} << 53;
    if (value <= exact_limit && value >= -exact_limit) {
        return round_bits(static_cast<double>(static_cast<std::int64_t>(value)), format);
    }
    Superaccumulator total;
    total.add_wide(value < 0 ? 0 - static_cast<u128>(value) : static_cast<u128>(value), 0, value < 0);
    return total.rounded({Finalize::itself, format, 1});
}

template <class Integer>
struct WideScan {
    static_assert(tile_columns * sizeof(__int128) <= tile_bytes);

    static Integer element(const void* x, std::size_t i) {
        return bits_at<Integer>(static_cast<const char*>(x) + i * sizeof(Integer));
    }

    static Carry total(const void* x, std::size_t n) {
        Carry carry;
        for (std::size_t i = 0; i < n; ++i) carry.integer += element(x, i);
        return carry;
    }

    static void join(Carry& carry, const Carry& part) { carry.integer += part.integer; }

    static std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n, Format format,
                           void* out, std::uint8_t*) {
        __int128 sum = carry.integer;
        for (std::size_t i = 0; i < n; ++i) {
            sum += element(x, i);
            store_bits(out, i, rounded(sum, format), size_of(format));
        }
        return 0;
    }

    static void init(void* tile, std::size_t n) { std::memset(tile, 0, n * sizeof(__int128)); }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t, Format format, void* out,
                              std::uint8_t* failed) {
        __int128* sums = static_cast<__int128*>(tile);
        for (std::size_t j = 0; j < n; ++j) {
            sums[j] += element(x, j);
            store_bits(out, j, rounded(sums[j], format), size_of(format));
        }
        std::memset(failed, 0, n);
        return 0;
    }

    static constexpr ScanMethod method{{}, total, join, row, init, each_row<column>};
};

std::size_t fail(std::size_t n, std::uint8_t* failed) {
    std::memset(failed, 1, n);
    return n;
}

constexpr ScanMethod deferred{
    {},
    [](const void*, std::size_t) { return Carry{}; },
    [](Carry&, const Carry&) {},
    [](const Carry&, const Carry&, const void*, std::size_t n, Format, void*, std::uint8_t* failed) {
        return fail(n, failed);
    },
    [](void*, std::size_t) {},
    [](void*, const ScanRows& rows) { return fail(rows.rows * rows.n, rows.failed); }};

}  // namespace

const ScanMethod& deferred_scan_method() { return deferred; }

const ScanMethod& wide_scan_method(Format in) {
    return *in_integer_format(in, []<Format f>() { return &WideScan<typename IntegerOf<f>::type>::method; });
}

}  // namespace samesum
