#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "exact/methods.hpp"
#include "exact/states.hpp"
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

// A total of numbers below 2^34, or of their squares, in units of 2^exponent.
template <int exponent>
struct ByteTotal {
    __int128 sum = 0;
    std::uint32_t special = 0;

    void merge(const ByteTotal& other) {
        sum += other.sum;
        special |= other.special;
    }

    u128 size() const { return sum < 0 ? 0 - static_cast<u128>(sum) : static_cast<u128>(sum); }

    Superaccumulator total() const {
        Superaccumulator result;
        result.add_wide(size(), exponent, sum < 0);
        if ((special & nan_met) != 0) result.add_nan();
        if ((special & positive_infinity_met) != 0) result.add_infinity(false);
        if ((special & negative_infinity_met) != 0) result.add_infinity(true);
        return result;
    }

    std::uint64_t rounded(const Finish& how) const {
        if (special != 0) return total().special_bits(how.format);
        if (sum == 0) return 0;
        switch (how.finalize) {
            case Finalize::over_count:
                return round_to_format(quotient_of(size(), exponent, static_cast<std::uint64_t>(how.count)),
                                       sum < 0, how.format);
            case Finalize::root:
                return round_to_format(root_of(size(), exponent), false, how.format);
            default:
                return round_to_format(leading_of(size(), exponent, false), sum < 0, how.format);
        }
    }
};

constexpr std::size_t chains = 4;

// take(chain, element) of the bytes of a run, none of which waits for the one before.
template <class Take>
void in_chains(const char* p, std::ptrdiff_t stride, std::size_t n, const Take& take) {
    std::size_t i = 0;
    for (; i + chains <= n; i += chains)
        for (std::size_t k = 0; k < chains; ++k, p += stride) take(k, static_cast<unsigned char>(*p));
    for (; i < n; ++i, p += stride) take(0, static_cast<unsigned char>(*p));
}

template <Format format, Map map>
struct ByteSum {
    static constexpr Codes codes = codes_of(format, map);
    static constexpr bool squares = map == Map::square;
    using Total = ByteTotal<unit_exponent(format) * (squares ? 2 : 1)>;

    // Of a block: a square has up to 66 bits, and a block of numbers up to 47.
    using Part = std::conditional_t<squares, __int128, std::int64_t>;

    static Part mapped(std::int64_t number) {
        if constexpr (squares)
            return __int128{number} * number;
        else
            return number;
    }

    static void add(Total& total, const char* p, std::ptrdiff_t stride, std::size_t n) {
        Part part[chains] = {};
        std::uint32_t special = 0;
        in_chains(p, stride, n, [&](std::size_t k, unsigned char byte) {
            part[k] += mapped(codes[byte].number);
            special |= codes[byte].special;
        });
        total.special |= special;
        for (const Part each : part) total.sum += each;
    }

    static constexpr Method method = States<Total, format, add>::method;
};

template <Format format>
using ByteVariance =
    Variance<typename ByteSum<format, Map::itself>::Total, typename ByteSum<format, Map::square>::Total,
             format, ByteSum<format, Map::itself>::add, ByteSum<format, Map::square>::add>;

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

    // No value has a lower key.
    struct Best {
        std::uint8_t key = 0;

        void merge(const Best& other) { key = std::max(key, other.key); }
        std::uint64_t rounded(const Finish&) const {
            if (key == nan_key) return canonical_nan(format);
            const unsigned order = maximum ? key : greatest_key(format) - key, zero = key_of_zero(format);
            return order >= zero ? order - zero : 0xff - order;
        }
    };

    static void take(Best& best, const char* p, std::ptrdiff_t stride, std::size_t n) {
        std::uint8_t each[chains] = {};
        in_chains(p, stride, n,
                  [&](std::size_t k, unsigned char byte) { each[k] = std::max(each[k], keys[byte]); });
        for (const std::uint8_t key : each) best.key = std::max(best.key, key);
    }

    static constexpr Method method = States<Best, format, take>::method;
};

struct Row {
    Method sum[3], variance, extreme[2];
};

template <Format format>
constexpr Row row{{ByteSum<format, Map::itself>::method, ByteSum<format, Map::magnitude>::method,
                   ByteSum<format, Map::square>::method},
                  ByteVariance<format>::method,
                  {ByteExtreme<format, false>::method, ByteExtreme<format, true>::method}};

const Row& row_of(Format format) {
    static constexpr Row rows[byte_float_count] = {
        row<Format::e3m4>,     row<Format::e4m3>, row<Format::e4m3b11fnuz>, row<Format::e4m3fn>,
        row<Format::e4m3fnuz>, row<Format::e5m2>, row<Format::e5m2fnuz>,
    };
    return rows[float_index(format) - 4];
}

}  // namespace

const Method& byte_sum_method(Format format, Map map) {
    return row_of(format).sum[static_cast<std::size_t>(map)];
}

const Method& byte_variance_method(Format format) { return row_of(format).variance; }

const Method& byte_extreme_method(Format format, bool maximum) { return row_of(format).extreme[maximum]; }

}  // namespace samesum
