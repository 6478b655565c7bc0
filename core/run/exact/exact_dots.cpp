#include "run/exact/exact_dots.hpp"

#include <algorithm>

#include "exact/elements.hpp"
#include "exact/totals/dot.hpp"
#include "layout/copy.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = 1024;

// take(a, b, n) of contiguous elements, block by block, until it returns false.
template <class Take>
void each_block(const DotLayout& all, const char* a, const char* b, std::int64_t begin, std::int64_t end,
                const Take& take) {
    alignas(64) char buffer[2][block * 8];
    const auto there = [&](const DotOperand& x, const char* p, std::int64_t i, std::int64_t n, char* room) {
        const char* const from = p + i * x.step;
        if (all.lies(x, x.step)) return from;
        gather(from, x.step, static_cast<std::size_t>(n), all.size(), x.swapped, room);
        return static_cast<const char*>(room);
    };
    for (std::int64_t i = begin; i < end; i += block) {
        const std::int64_t n = std::min(block, end - i);
        if (!take(there(all.a, a, i, n, buffer[0]), there(all.b, b, i, n, buffer[1]),
                  static_cast<std::size_t>(n)))
            return;
    }
}

std::uint64_t byte_bits(double hi, double lo, Format format) {
    if (hi == 0) return 0;
    const char* const p = reinterpret_cast<const char*>(&hi);
    Element x = float_at<Format::f64>(p);
    x.exponent -= 10;  // room below for a word of the other sign
    x.significand <<= 10;
    if (lo != 0 && (lo < 0) != x.negative) --x.significand;
    return round_to_format(leading_of(x.significand, x.exponent, lo != 0), x.negative, format);
}

}  // namespace

Superaccumulator exact_dot(const DotLayout& all, const char* a, const char* b, std::int64_t begin,
                           std::int64_t end, bool is_rough_finite) {
    Superaccumulator total;
    if (!is_rough_finite) {
        each_block(all, a, b, begin, end, [&](const char* x, const char* y, std::size_t n) {
            add_special_products(total, x, y, n, all.format);
            return !total.is_nan();
        });
        if (!total.is_finite()) return total;
    }
    each_block(all, a, b, begin, end, [&](const char* x, const char* y, std::size_t n) {
        add_products(total, x, y, n, all.format);
        return true;
    });
    return total;
}

bool round_to_byte(const Sum& total, Format format, std::uint64_t& bits) {
    double hi, lo;
    two_sum(total.hi, total.lo, hi, lo);
    if (!(magnitude(hi) < 0x1p1000) || !(total.bound < 0x1p900)) return false;
    // The roundings of these are less than a tenth of the bound, or than the last place of `lo`. (Lemma 79)
    const double by = total.bound > 0 ? total.bound * 1.125 + magnitude(lo) * 0x1p-50 + 0x1p-1060 : 0;
    bits = byte_bits(hi, lo - by, format);
    return bits == byte_bits(hi, lo + by, format) && magnitude(lo) + by <= magnitude(hi) * 0x1p-53;
}

}  // namespace samesum
