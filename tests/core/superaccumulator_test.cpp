// The superaccumulator against another exact algorithm: expansions of doubles that do not overlap (Shewchuk,
// Adaptive Precision Floating-Point Arithmetic, 1997).
#include "exact/totals/superaccumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using samesum::Finalize;
using samesum::Finish;
using samesum::Format;
using samesum::Superaccumulator;

void add(Superaccumulator& sum, double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    sum.add(significand, std::max(field, 1) - 1075, (bits >> 63) != 0);
}

double rounded(const Superaccumulator& sum) {
    return std::bit_cast<double>(sum.rounded({Finalize::itself, Format::f64, 1}));
}

// The parts of an expansion, from the least on; their sum is exact and no two overlap.
std::vector<double> with(const std::vector<double>& parts, double x) {
    std::vector<double> grown;
    for (const double part : parts) {
        const double sum = x + part, back = sum - x;
        const double rest = (x - (sum - back)) + (part - back);
        if (rest != 0) grown.push_back(rest);
        x = sum;
    }
    grown.push_back(x);
    return grown;
}

// Rounded once: what is below the greatest part decides only if that part and the next are at a tie.
double rounded(std::vector<double> parts) {
    double total = 0, rest = 0;
    while (!parts.empty()) {
        const double x = total;
        const double y = parts.back();
        parts.pop_back();
        total = x + y;
        rest = y - (total - x);
        if (rest != 0) break;
    }
    if (rest != 0 && !parts.empty() && std::signbit(rest) == std::signbit(parts.back())) {
        const double twice = 2 * rest, moved = total + twice;
        if (moved - total == twice) total = moved;
    }
    return total;
}

double drawn(std::mt19937_64& random, int least, int most) {
    const double sign = (random() & 1) != 0 ? -1 : 1;
    const int exponent = least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
    return sign * std::ldexp(static_cast<double>(random() >> 11), exponent - 53);
}

TEST_CASE("the sum of drawn doubles is the exact one, rounded once") {
    std::mt19937_64 random(20261125);
    for (int i = 0; i < 20000; ++i) {
        const int spread = 1 + i % 200, least = -900 + i % 1500;
        Superaccumulator sum;
        std::vector<double> parts;
        for (std::uint64_t n = random() % 40; n-- > 0;) {
            const double x = drawn(random, least, least + spread);
            add(sum, x);
            parts = with(parts, x);
        }
        CAPTURE(i);
        REQUIRE(rounded(sum) == rounded(parts));
    }
}

TEST_CASE("sums that are cut, merged and taken in any order are the same") {
    std::mt19937_64 random(20261126);
    for (int i = 0; i < 2000; ++i) {
        std::vector<double> x(1 + random() % 200);
        for (double& each : x) each = drawn(random, -1000, 1000);
        Superaccumulator whole, a, b;
        for (const double each : x) add(whole, each);
        std::shuffle(x.begin(), x.end(), random);
        const std::size_t cut = random() % (x.size() + 1);
        for (std::size_t at = 0; at < x.size(); ++at) add(at < cut ? a : b, x[at]);
        b.merge(a);
        REQUIRE(b.rounded({Finalize::itself, Format::f64, 1}) ==
                whole.rounded({Finalize::itself, Format::f64, 1}));
    }
}

TEST_CASE("halfway cases are decided by the least bit there is") {
    const double tiny = 0x1p-1074;
    for (const double one : {1.0, 1.0 + 0x1p-52, 0x1p1000, 0x1p-900}) {
        const double half = std::ldexp(one, -53) - (one == 1.0 + 0x1p-52 ? std::ldexp(1.0, -105) : 0.0);
        for (const double decides : {0.0, tiny, -tiny}) {
            Superaccumulator sum;
            std::vector<double> parts;
            for (const double x : {one, half, decides}) {
                add(sum, x);
                parts = with(parts, x);
            }
            REQUIRE(rounded(sum) == rounded(parts));
        }
    }
    Superaccumulator above, below;
    for (const double x : {1.0, 0x1p-53, tiny}) add(above, x);
    for (const double x : {1.0, 0x1p-53, -tiny}) add(below, x);
    REQUIRE(rounded(above) == 1 + 0x1p-52);
    REQUIRE(rounded(below) == 1.0);
}

TEST_CASE("a mean and a root are those of the exact sum, rounded once") {
    Superaccumulator sum;
    for (int i = 0; i < 3; ++i) add(sum, 0x1p1023);
    REQUIRE(std::isinf(rounded(sum)));
    REQUIRE(std::bit_cast<double>(sum.rounded({Finalize::over_count, Format::f64, 3})) == 0x1p1023);
    Superaccumulator square;
    square.add_wide(samesum::u128{1} << 100, 2000, false);
    REQUIRE(std::isinf(rounded(square)));
    REQUIRE(std::bit_cast<double>(square.rounded({Finalize::root, Format::f64, 1})) == INFINITY);
    Superaccumulator even;
    even.add(25, 2000, false);
    REQUIRE(std::bit_cast<double>(even.rounded({Finalize::root, Format::f64, 1})) == std::ldexp(5.0, 1000));
}

}  // namespace
