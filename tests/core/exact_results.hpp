// What a reduction of one set is, exactly: by the superaccumulator and its like, or element by element.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "draws.hpp"
#include "exact/elements.hpp"
#include "exact/exponentials/exponential_total.hpp"
#include "exact/methods.hpp"
#include "exact/moments/moments.hpp"
#include "exact/products/product.hpp"
#include "methods/method.hpp"

namespace walk {

using samesum::Combine;
using samesum::Finalize;
using samesum::Finish;
using samesum::Map;
using samesum::Method;

// Elements of one set, `stride` bytes apart.
struct Set {
    const char* p;
    std::ptrdiff_t stride;
    std::size_t n;
    Format format;

    std::uint64_t bits(std::size_t i) const {
        return bits_of(p + static_cast<std::ptrdiff_t>(i) * stride, format);
    }
};

struct alignas(64) Tile {
    char bytes[samesum::tile_bytes];
};

// By a method whose states are exact, in every way that it is to be finished.
inline std::vector<std::uint64_t> by_method(const Method& method, const Set& set,
                                            const std::vector<Finish>& how) {
    static const auto tile = std::make_unique<Tile>();
    std::vector<std::uint64_t> results;
    method.init(tile.get(), 1);
    method.columns(tile.get(), set.p, set.stride, set.n, 1);
    for (const Finish& each : how) {
        std::uint64_t bits = 0;
        std::uint8_t failed = 0;
        method.finish(tile.get(), 1, each, &bits, &failed);
        results.push_back(bits);
    }
    return results;
}

// The order of all numbers, -0 below +0; NaN apart.
inline std::int64_t key_of(std::uint64_t bits, Format format) {
    const std::uint64_t sign = samesum::sign_bit(format), size = bits & (sign - 1);
    if (!samesum::is_float(format))
        return static_cast<std::int64_t>(samesum::is_unsigned(format) ? bits ^ std::uint64_t{1} << 63
                                                                      : (bits ^ sign) - sign);
    return (bits & sign) != 0 ? -1 - static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
}

inline bool is_nan(std::uint64_t bits, Format format) {
    return samesum::is_float(format) &&
           (bits & (samesum::sign_bit(format) - 1)) > samesum::infinity_bits(format);
}

inline std::uint64_t extreme_of(const Set& set, bool maximum) {
    std::uint64_t best = set.bits(0);
    for (std::size_t i = 0; i < set.n; ++i) {
        const std::uint64_t x = set.bits(i);
        if (is_nan(x, set.format)) return samesum::canonical_nan(set.format);
        const std::int64_t a = key_of(x, set.format), b = key_of(best, set.format);
        if (maximum ? a > b : a < b) best = x;
    }
    return best;
}

// Zeros of either sign are equal, and so are NaNs, which win.
inline std::uint64_t position_of(const Set& set, bool maximum, bool last) {
    const bool is_real = samesum::is_float(set.format);
    const auto rank = [&](std::size_t i) {
        const std::uint64_t x = set.bits(i);
        if (is_nan(x, set.format)) return INT64_MAX;
        std::int64_t key = key_of(x, set.format);
        if (is_real && key == -1) key = 0;
        if (!is_real) return maximum ? key : ~key;
        return maximum ? key : key < 0 ? -1 - key : -key;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < set.n; ++i) {
        const std::int64_t a = rank(i), b = rank(best);
        if (last ? a >= b : a > b) best = i;
    }
    return best;
}

inline std::uint64_t truth_of(const Set& set, bool any) {
    std::size_t count = 0;
    const std::uint64_t ignored = samesum::is_float(set.format) ? samesum::sign_bit(set.format) : 0;
    for (std::size_t i = 0; i < set.n; ++i) count += (set.bits(i) & ~ignored) != 0;
    return any ? count > 0 : count == set.n;
}

// Integers modulo 2^64.
inline std::uint64_t wrapping_product_of(const Set& set) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < set.n; ++i)
        product *= samesum::is_unsigned(set.format)
                       ? set.bits(i)
                       : (set.bits(i) ^ samesum::sign_bit(set.format)) - samesum::sign_bit(set.format);
    return product;
}

// Of any format but the floats of eight bits.
inline std::uint64_t moment_of(const Set& set, const Finish& how) {
    using namespace samesum;
    Superaccumulator sum, squares;
    for (std::size_t i = 0; i < set.n; ++i) {
        const char* const p = set.p + static_cast<std::ptrdiff_t>(i) * set.stride;
        if (is_float(set.format)) {
            in_float_format(set.format, [&]<Format f>() {
                add_elements<f, Map::itself>(sum, p, 0, 1);
                add_elements<f, Map::square>(squares, p, 0, 1);
            });
            continue;
        }
        const bool negative = !is_unsigned(set.format) && (set.bits(i) & sign_bit(set.format)) != 0;
        const std::uint64_t most = sign_bit(set.format) * 2 - 1,
                            size = negative ? (0 - set.bits(i)) & most : set.bits(i);
        sum.add(size, 0, negative);
        squares.add_wide(u128{size} * size, 0, false);
    }
    const MomentKind kind = how.finalize == Finalize::root ? MomentKind::deviation : MomentKind::variance;
    return rounded_moment(sum, squares, {kind, how.format, how.count, how.correction});
}

}  // namespace walk
