// What the methods of cumulative minima and maxima are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"
#include "methods/scan_method.hpp"

namespace samesum {

// Columns of a tile of keys, which are numbers of up to eight bytes.
constexpr std::size_t key_columns = 1024;
struct alignas(64) ExtremeKeys {
    std::int64_t room[key_columns];
};

// How the bits of elements become keys: formats of one size share their code. Keys narrower than these
// numbers take the low bits of them.
struct ExtremeOrder {
    std::int64_t flip;         // of integers: the bits that change, so that the greatest key wins
    std::int64_t last_number;  // of floats: greater magnitudes are NaN
    std::int64_t nan;          // of floats: the canonical one
    std::int64_t no_zero;  // of floats of eight bits: the code that is NaN in the place of a negative zero

    static constexpr ExtremeOrder of(Format format, bool maximum) {
        const auto extended = [format](std::uint64_t bits) {
            const std::size_t unused = 64 - 8 * size_of(format);
            return static_cast<std::int64_t>(bits << unused) >> unused;
        };
        const std::int64_t turned = maximum ? 0 : -1;
        if (!is_float(format))
            return {is_unsigned(format) ? turned ^ extended(sign_bit(format)) : turned, 0, 0, 0};
        const FloatTraits& traits = traits_of(format);
        constexpr std::int64_t none = 0x100;
        return {0, extended(has_infinity(format) ? traits.overflow : traits.largest), extended(traits.nan),
                traits.has_negative_zero ? none : extended(sign_bit(format))};
    }
};

struct ExtremeScanMethod {
    // Set the keys of columns [0, n) to what every element wins against.
    void (*init)(ExtremeKeys& keys, std::size_t n);
    // Each prefix of n contiguous elements after those of column 0; without `out` the keys alone move on.
    void (*line)(const ExtremeOrder& order, ExtremeKeys& keys, const char* x, std::size_t n, char* out);
    // Each prefix of rows.rows whole lines of rows.n contiguous elements.
    void (*lines)(const ExtremeOrder& order, const ScanRows& rows);
    // Each prefix of the columns of rows.n <= key_columns elements, row after row, whose format is that of
    // the elements; likewise.
    void (*columns)(const ExtremeOrder& order, ExtremeKeys& keys, const ScanRows& rows);
    // Columns [0, n) of `from` join those of `keys`.
    void (*join)(ExtremeKeys& keys, const ExtremeKeys& from, std::size_t n);
};

// Elements of 1, 2, 4, 8 bytes.
struct ExtremeScanMethods {
    ExtremeScanMethod integers[4];
    ExtremeScanMethod floats[4][2];  // minimum, maximum

    const ExtremeScanMethod& of(Format format, bool maximum) const {
        const std::size_t size = size_of(format), width = size == 8 ? 3 : size / 2;
        return is_float(format) ? floats[width][maximum] : integers[width];
    }
};

}  // namespace samesum
