#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/methods.hpp"
#include "exact/totals/leading.hpp"
#include "formats/format.hpp"

namespace samesum {

// What the codes of the eight-bit floats stand for.

enum Special : std::uint32_t { nan_met = 1, positive_infinity_met = 2, negative_infinity_met = 4 };

// What a code stands for: a multiple of the format's least number, or a special value.
struct Code {
    std::int64_t number;
    std::uint32_t special;
};

constexpr int unit_exponent(Format format) {
    return traits_of(format).min_exponent - traits_of(format).precision + 1;
}

constexpr Code meaning_of(unsigned code, Format format) {
    const FloatTraits traits = traits_of(format);
    const unsigned size = code & 0x7f;
    const bool negative = code >= 0x80;
    if (has_infinity(format) && size == traits.overflow)
        return {0, negative ? negative_infinity_met : positive_infinity_met};
    if (size > traits.largest || (!traits.has_negative_zero && code == 0x80)) return {0, nan_met};
    const unsigned field = size >> (traits.precision - 1);
    const std::int64_t fraction = size & ((1u << (traits.precision - 1)) - 1);
    const std::int64_t hidden = field != 0 ? std::int64_t{1} << (traits.precision - 1) : 0;
    const std::int64_t number = (fraction + hidden) << (field != 0 ? field - 1 : 0);
    return {negative ? -number : number, 0};
}

namespace {

using Codes = std::array<Code, 256>;

constexpr Codes codes_of(Format format, Map map) {
    Codes codes{};
    for (unsigned code = 0; code < 256; ++code) {
        codes[code] = meaning_of(code, format);
        if (map == Map::itself) continue;
        if (codes[code].number < 0) codes[code].number = -codes[code].number;
        if (codes[code].special == negative_infinity_met) codes[code].special = positive_infinity_met;
    }
    return codes;
}

// A total of numbers below 2^34, or of their squares.
struct Total {
    __int128 sum;
    std::uint32_t special;
};

int leading_zeros(u128 x) {
    const std::uint64_t high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(x));
}

Leading quotient_of(u128 size, int exponent, std::uint64_t count) {
    const int shift = leading_zeros(size);
    const u128 number = size << shift;
    return leading_of(number / count, exponent - shift, number % count != 0);
}

Leading root_of(u128 size, int exponent) {
    int shift = leading_zeros(size);
    if ((exponent - shift) % 2 != 0) --shift;
    const u128 number = size << shift;
    const std::uint64_t root = floor_root(number);
    return leading_of(root, (exponent - shift) / 2, u128{root} * root != number);
}

std::uint64_t rounded(const Total& t, int exponent, const Finish& how) {
    const bool both = (t.special & positive_infinity_met) != 0 && (t.special & negative_infinity_met) != 0;
    if ((t.special & nan_met) != 0 || both) return canonical_nan(how.format);
    if (t.special != 0) return overflow_bits(how.format, (t.special & negative_infinity_met) != 0);
    const bool negative = t.sum < 0;
    const u128 size = negative ? 0 - static_cast<u128>(t.sum) : static_cast<u128>(t.sum);
    if (size == 0) return 0;
    switch (how.finalize) {
        case Finalize::over_count:
            return round_to_format(quotient_of(size, exponent, static_cast<std::uint64_t>(how.count)),
                                   negative, how.format);
        case Finalize::root:
            return round_to_format(root_of(size, exponent), false, how.format);
        default:
            return round_to_format(leading_of(size, exponent, false), negative, how.format);
    }
}

template <Format format, Map map>
struct ByteSum {
    static constexpr Codes codes = codes_of(format, map);
    static constexpr bool squares = map == Map::square;
    static constexpr int exponent = unit_exponent(format) * (squares ? 2 : 1);
    static_assert(tile_columns * sizeof(Total) <= tile_bytes);

    // Of a block: a square has up to 66 bits, and a block of numbers up to 47.
    using Part = std::conditional_t<squares, __int128, std::int64_t>;

    static Part mapped(std::int64_t number) {
        if constexpr (squares)
            return __int128{number} * number;
        else
            return number;
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) static_cast<Total*>(tile)[j] = {};
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        const unsigned char* p = static_cast<const unsigned char*>(x);
        constexpr std::size_t chains = 4;
        Part part[chains] = {};
        std::uint32_t special = 0;
        std::size_t i = 0;
        for (; i + chains <= n; i += chains) {
            for (std::size_t k = 0; k < chains; ++k) {
                const Code& code = codes[p[i + k]];
                part[k] += mapped(code.number);
                special |= code.special;
            }
        }
        for (; i < n; ++i) {
            part[0] += mapped(codes[p[i]].number);
            special |= codes[p[i]].special;
        }
        Total& total = static_cast<Total*>(tile)[j];
        for (const Part each : part) total.sum += each;
        total.special |= special;
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const unsigned char* p = static_cast<const unsigned char*>(x);
        Total* totals = static_cast<Total*>(tile);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            for (std::size_t j = 0; j < n; ++j) {
                const Code& code = codes[p[j]];
                totals[j].sum += mapped(code.number);
                totals[j].special |= code.special;
            }
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        Total& total = static_cast<Total*>(tile)[j];
        total.sum += static_cast<const Total*>(from)[i].sum;
        total.special |= static_cast<const Total*>(from)[i].special;
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish& how, void* out, std::uint8_t* failed) {
        const Total* totals = static_cast<const Total*>(tile);
        for (std::size_t j = 0; j < n; ++j)
            store_bits(out, j, rounded(totals[j], exponent, how), size_of(how.format));
        std::memset(failed, 0, n);
        return 0;
    }

    static constexpr Method method{tile_columns, init, each_lane<lane>, columns, each_merge<merge>, finish};
};

// Keys in the order of the values, -0 below +0, for the maximum; turned around for the minimum. NaN is above
// all: either there are no other values of its code, or one code less is needed for zeros.
constexpr std::uint8_t nan_key = 255;

constexpr unsigned key_of_zero(Format format) { return traits_of(format).has_negative_zero ? 0x80 : 0x7f; }
constexpr unsigned greatest_key(Format format) { return traits_of(format).has_negative_zero ? 0xff : 0xfe; }

constexpr std::array<std::uint8_t, 256> keys_of(Format format, bool maximum) {
    std::array<std::uint8_t, 256> keys{};
    for (unsigned code = 0; code < 256; ++code) {
        const unsigned order = code < 0x80 ? key_of_zero(format) + code : 0xff - code;
        const bool is_nan = meaning_of(code, format).special == nan_met;
        keys[code] =
            is_nan ? nan_key : static_cast<std::uint8_t>(maximum ? order : greatest_key(format) - order);
    }
    return keys;
}

template <Format format, bool maximum>
struct ByteExtreme {
    static constexpr std::array<std::uint8_t, 256> keys = keys_of(format, maximum);

    static std::uint8_t greater(std::uint8_t a, std::uint8_t b) { return a > b ? a : b; }

    // No value has a lower key.
    static void init(void* tile, std::size_t n) { std::memset(tile, 0, n); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        const unsigned char* p = static_cast<const unsigned char*>(x);
        std::uint8_t best[4] = {};
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            for (std::size_t k = 0; k < 4; ++k) best[k] = greater(best[k], keys[p[i + k]]);
        }
        for (; i < n; ++i) best[0] = greater(best[0], keys[p[i]]);
        std::uint8_t& state = static_cast<std::uint8_t*>(tile)[j];
        for (const std::uint8_t each : best) state = greater(state, each);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const unsigned char* p = static_cast<const unsigned char*>(x);
        std::uint8_t* best = static_cast<std::uint8_t*>(tile);
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
            for (std::size_t j = 0; j < n; ++j) best[j] = greater(best[j], keys[p[j]]);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        std::uint8_t& state = static_cast<std::uint8_t*>(tile)[j];
        state = greater(state, static_cast<const std::uint8_t*>(from)[i]);
    }

    static std::uint8_t code_of(std::uint8_t key) {
        if (key == nan_key) return static_cast<std::uint8_t>(canonical_nan(format));
        const unsigned order = maximum ? key : greatest_key(format) - key, zero = key_of_zero(format);
        return static_cast<std::uint8_t>(order >= zero ? order - zero : 0xff - order);
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        const std::uint8_t* best = static_cast<const std::uint8_t*>(tile);
        for (std::size_t j = 0; j < n; ++j) static_cast<std::uint8_t*>(out)[j] = code_of(best[j]);
        std::memset(failed, 0, n);
        return 0;
    }

    static constexpr Method method{tile_columns, init, each_lane<lane>, columns, each_merge<merge>, finish};
};

struct Row {
    Method sum[3], extreme[2];
};

template <Format format>
constexpr Row row{{ByteSum<format, Map::itself>::method, ByteSum<format, Map::magnitude>::method,
                   ByteSum<format, Map::square>::method},
                  {ByteExtreme<format, false>::method, ByteExtreme<format, true>::method}};

const Row& row_of(Format format) {
    static constexpr Row rows[byte_float_count] = {
        row<Format::e3m4>,     row<Format::e4m3>, row<Format::e4m3b11fnuz>, row<Format::e4m3fn>,
        row<Format::e4m3fnuz>, row<Format::e5m2>, row<Format::e5m2fnuz>,
    };
    return rows[float_index(format) - 4];
}

}  // namespace

Superaccumulator byte_total(Format format, Map map, const void* tile, std::size_t j) {
    const Total& total = static_cast<const Total*>(tile)[j];
    const bool negative = total.sum < 0;
    const int exponent = unit_exponent(format) * (map == Map::square ? 2 : 1);
    Superaccumulator result;
    result.add_wide(negative ? 0 - static_cast<u128>(total.sum) : static_cast<u128>(total.sum), exponent,
                    negative);
    if ((total.special & nan_met) != 0) result.add_nan();
    if ((total.special & positive_infinity_met) != 0) result.add_infinity(false);
    if ((total.special & negative_infinity_met) != 0) result.add_infinity(true);
    return result;
}

const Method& byte_sum_method(Format format, Map map) {
    return row_of(format).sum[static_cast<std::size_t>(map)];
}

const Method& byte_extreme_method(Format format, bool maximum) { return row_of(format).extreme[maximum]; }

}  // namespace samesum
