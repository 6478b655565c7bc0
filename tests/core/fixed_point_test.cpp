// Exponentials and logarithms in fixed point, off by no more units than they say (Lemmas 72 and 73).
#include <random>

#include "check.hpp"
#include "exact/exponentials/fixed.hpp"

using namespace samesum;

namespace {

constexpr std::size_t few = 4, many = 21;

// The same number with more limbs below.
Fixed<many> longer(const Fixed<few>& x) {
    std::array<std::uint64_t, many> limb{};
    for (std::size_t i = 0; i < few; ++i) limb[many - few + i] = x.limb(i);
    return Fixed<many>::of(limb);
}

// The distance in units of the last place of the shorter one, rounded up.
std::uint64_t units_apart(const Fixed<few>& x, const Fixed<many>& y) {
    const Fixed<many> own = longer(x), distance = own < y ? y - own : own - y;
    for (std::size_t i = many - few + 1; i < many; ++i) REQUIRE(distance.limb(i) == 0);
    return distance.limb(many - few) + 1;
}

Fixed<few> drawn(std::mt19937_64& draw, std::uint64_t below) {
    return Fixed<few>::of({draw(), draw(), draw(), below == 0 ? 0 : draw() % below});
}

}  // namespace

TEST_CASE("exponentials are within their units") {
    std::mt19937_64 draw(1);
    std::uint64_t most = 0;
    for (int i = 0; i < 400; ++i) {
        const std::uint64_t below = i % 4 == 0 ? 0 : i % 4 == 1 ? 2 : i % 4 == 2 ? 40 : 191;
        const Fixed<few> a = drawn(draw, below) >> (i % 7 == 0 ? i % 90 : 0);
        most = std::max(most,
                        units_apart(Exponential<few>::of_minus(a), Exponential<many>::of_minus(longer(a))));
    }
    MESSAGE("exponential: ", most, " of ", Exponential<few>::units, " units");
    CHECK(most < Exponential<few>::units);
}

TEST_CASE("logarithms are within their units") {
    std::mt19937_64 draw(2);
    std::uint64_t most = 0;
    for (int i = 0; i < 400; ++i) {
        const Fixed<few> t = Fixed<few>{1 + (i % 3 == 0 ? 0 : draw() >> (i % 60))} +
                             (drawn(draw, 0) >> (i % 5 == 0 ? i % 120 : 0));
        const Fixed<few> log = Logarithm<few>::of(t);
        most = std::max(most, units_apart(log, Logarithm<many>::of(longer(t))));
    }
    MESSAGE("logarithm: ", most, " of ", Logarithm<few>::units, " units");
    CHECK(most < Logarithm<few>::units);
}
