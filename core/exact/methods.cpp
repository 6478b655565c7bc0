#include "exact/methods.hpp"

#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/states.hpp"
#include "exact/totals/leading.hpp"
#include "exact/totals/superaccumulator.hpp"

namespace samesum {

namespace {

template <Format format, Map map>
using Exact = States<Superaccumulator, format, add_elements<format, map, Superaccumulator>>;

// A whole total below 2^64.
std::uint64_t finish_one(std::uint64_t size, bool negative, const Finish& how) {
    const std::uint64_t count = static_cast<std::uint64_t>(how.count);
    if (!is_float(how.format) && how.finalize != Finalize::logarithm) {
        if (how.finalize == Finalize::root) return floor_root(size);
        const std::uint64_t result = how.finalize == Finalize::over_count ? size / count : size;
        return negative ? 0 - result : result;
    }
    constexpr std::uint64_t exact_limit = std::uint64_t{1} << 53;
    const bool mean_of_doubles = how.finalize == Finalize::over_count && how.format == Format::f64;
    if (size <= exact_limit && count <= exact_limit &&
        (mean_of_doubles || how.finalize == Finalize::itself)) {
        const double value = static_cast<double>(negative ? -static_cast<std::int64_t>(size)
                                                          : static_cast<std::int64_t>(size));
        return round_bits(mean_of_doubles ? value / static_cast<double>(count) : value, how.format);
    }
    Superaccumulator total;
    total.add(size, 0, negative);
    return total.rounded(how);
}

template <class Integer, Map map>
struct Wide {
    static void add_column(WideInteger& total, const char* p, std::ptrdiff_t stride, std::size_t rows) {
        using Part = std::conditional_t<map == Map::itself && std::is_signed_v<Integer>, __int128, u128>;
        constexpr std::size_t batch = map == Map::square && sizeof(Integer) == 8 ? 1 : block_elements;
        while (rows > 0) {
            const std::size_t now = rows < batch ? rows : batch;
            Part sum = 0;
            for (std::size_t r = 0; r < now; ++r, p += stride) sum += static_cast<Part>(mapped(p));
            const bool negative = std::is_same_v<Part, __int128> && sum < 0;
            total.add(negative ? 0 - static_cast<u128>(sum) : static_cast<u128>(sum), negative);
            rows -= now;
        }
    }

    static auto mapped(const char* p) {
        const Integer x = bits_at<Integer>(p);
        if constexpr (map == Map::itself) {
            return x;
        } else {
            const bool negative = std::is_signed_v<Integer> && x < 0;
            const std::uint64_t wide = static_cast<std::uint64_t>(x), size = negative ? 0 - wide : wide;
            if constexpr (map == Map::square)
                return u128{size} * size;
            else
                return size;
        }
    }
};

template <Format format, Map map>
constexpr auto add_wide = Wide<typename IntegerOf<format>::type, map>::add_column;

template <Format format, Map map>
using WideStates = States<WideInteger, format, add_wide<format, map>>;

template <Format format>
using WideVariance =
    Variance<WideInteger, WideInteger, format, add_wide<format, Map::itself>, add_wide<format, Map::square>>;

// By map.
template <template <Format, Map> class Each, Format format>
constexpr Method methods[] = {Each<format, Map::itself>::method, Each<format, Map::magnitude>::method,
                              Each<format, Map::square>::method};

}  // namespace

const Method& exact_method(Format format, Map map) {
    return *in_float_format(format,
                            [=]<Format f>() { return &methods<Exact, f>[static_cast<std::size_t>(map)]; });
}

const Method& wide_method(Format in, Map map) {
    return *in_integer_format(
        in, [=]<Format f>() { return &methods<WideStates, f>[static_cast<std::size_t>(map)]; });
}

const Method& wide_variance_method(Format in) {
    return *in_integer_format(in, []<Format f>() { return &WideVariance<f>::method; });
}

void WideInteger::add(u128 value, bool negative) {
    const u128 extended = negative ? 0 - value : value;
    const std::uint64_t top = negative && value != 0 ? ~std::uint64_t{0} : 0;
    merge({{static_cast<std::uint64_t>(extended), static_cast<std::uint64_t>(extended >> 64), top}});
}

void WideInteger::merge(const WideInteger& other) {
    u128 carry = 0;
    for (int i = 0; i < 3; ++i) {
        carry += u128{word[i]} + other.word[i];
        word[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

WideInteger WideInteger::negated() const {
    WideInteger size{{~word[0], ~word[1], ~word[2]}};
    size.add(1, false);
    return size;
}

std::uint64_t WideInteger::rounded(const Finish& how) const {
    const WideInteger size = magnitude();
    if (size.word[2] == 0 && how.finalize == Finalize::root && !is_float(how.format))
        return floor_root(u128{size.word[1]} << 64 | size.word[0]);
    if (size.word[1] == 0 && size.word[2] == 0) return finish_one(size.word[0], is_negative(), how);
    return total().rounded(how);
}

Superaccumulator WideInteger::total() const {
    Superaccumulator result;
    const WideInteger size = magnitude();
    for (int i = 0; i < 3; ++i) result.add(size.word[i], 64 * i, is_negative());
    return result;
}

bool fits_64_bits(Format format, Map map) { return size_of(format) <= (map == Map::square ? 2u : 4u); }

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

namespace {

// An infinity or a NaN among n elements.
template <Format format>
bool has_special(const char* p, std::size_t n) {
    constexpr FloatTraits traits = traits_of(format);
    using Bits = std::conditional_t<size_of(format) == 2, std::uint16_t,
                                    std::conditional_t<size_of(format) == 4, std::uint32_t, std::uint64_t>>;
    constexpr Bits field = static_cast<Bits>(traits.overflow);
    Bits found = 0;
    for (std::size_t i = 0; i < n; ++i) found |= (bits_at<Bits>(p + i * sizeof(Bits)) & field) == field;
    return found != 0;
}

template <Format format>
void add_specials_of(Specials& total, const char* a, const char* b, std::size_t n) {
    if (total.is_nan() || (!has_special<format>(a, n) && !has_special<format>(b, n))) return;
    using Kind = Element::Kind;
    for (std::size_t i = 0; i < n; ++i) {
        const Element x = float_at<format>(a + i * size_of(format)),
                      y = float_at<format>(b + i * size_of(format));
        if (x.kind == Kind::finite && y.kind == Kind::finite) continue;
        const auto is_zero = [](const Element& e) { return e.kind == Kind::finite && e.significand == 0; };
        if (x.kind == Kind::nan || y.kind == Kind::nan || is_zero(x) || is_zero(y))
            total.add_nan();
        else
            total.add_infinity(x.negative != y.negative);
    }
}

template <Format format>
void add_products_of(Superaccumulator& total, const char* a, const char* b, std::size_t n) {
    add_specials_of<format>(total, a, b, n);
    if (!total.is_finite()) return;
    constexpr std::size_t most = Superaccumulator::most_additions / 2;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % most == 0) total.make_room(static_cast<std::uint32_t>(2 * std::min(most, n - i)));
        const Element x = float_at<format>(a + i * size_of(format)),
                      y = float_at<format>(b + i * size_of(format));
        const bool negative = x.negative != y.negative;
        if constexpr (format == Format::f64)
            total.add_wide_within(u128{x.significand} * y.significand, x.exponent + y.exponent, negative);
        else
            total.add_within(x.significand * y.significand, x.exponent + y.exponent, negative);
    }
}

}  // namespace

void add_products(Superaccumulator& total, const char* a, const char* b, std::size_t n, Format format) {
    in_float_format(format, [&]<Format f>() { add_products_of<f>(total, a, b, n); });
}

}  // namespace samesum
