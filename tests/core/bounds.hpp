// What a method knows before it rounds, beside what is exact: the error as a part of its bound.
#pragma once

#include <cmath>

#include "certificates/certificates.hpp"
#include "exact/exponentials/exponential_total.hpp"
#include "exact/moments/dyadic.hpp"
#include "method_rows.hpp"

namespace walk {

using samesum::Dyadic;
using samesum::StateReader;

inline const StateReader* reader_of(const InstructionSet& set, Known known) {
    const samesum::Certificates& all = *set.certificates;
    switch (known) {
        case Known::sums:
            return &all.words;
        case Known::spreads:
            return &all.spreads;
        case Known::products:
            return &all.products;
        case Known::exponentials:
            return &all.exponentials;
        default:
            return nullptr;
    }
}

// By so much the rounding tests take each bound for more.
inline Dyadic widened(double bound) {
    const Dyadic least = bound > 0 ? Dyadic(1, -1070, false) : Dyadic();
    return Dyadic(bound) + Dyadic(bound).scaled(-10) + least;
}

// |error| / bound, nearly: infinite where the bound is zero and the error is not.
inline double quotient(Dyadic error, const Dyadic& bound) {
    if (error.sign() == 0) return bound.sign() < 0 ? HUGE_VAL : 0;
    if (error.sign() < 0) error = -error;
    if (bound.sign() <= 0) return HUGE_VAL;
    const bool within = (bound - error).sign() >= 0;
    const samesum::Scaled a = error.leading(), b = bound.leading();
    const double near = std::ldexp(a.fraction / b.fraction, a.exponent - b.exponent);
    return within ? std::fmin(near, 1) : std::fmax(near, 1 + 0x1p-20);
}

inline Dyadic number_at(const Set& set, std::size_t i) { return Dyadic(value_of(set.bits(i), set.format)); }

inline bool are_finite(const Set& set) {
    for (std::size_t i = 0; i < set.n; ++i)
        if ((set.bits(i) & (samesum::sign_bit(set.format) - 1)) > samesum::traits_of(set.format).largest)
            return false;
    return true;
}

// The sum of the elements, their magnitudes or their squares.
inline Dyadic exact_sum(const Set& set, Map map) {
    samesum::Superaccumulator total;
    for (std::size_t i = 0; i < set.n; ++i) {
        const char* const p = set.p + static_cast<std::ptrdiff_t>(i) * set.stride;
        samesum::in_float_format(set.format, [&]<Format f>() {
            if (map == Map::square)
                samesum::add_elements<f, Map::square>(total, p, 0, 1);
            else if (map == Map::magnitude)
                samesum::add_elements<f, Map::magnitude>(total, p, 0, 1);
            else
                samesum::add_elements<f, Map::itself>(total, p, 0, 1);
        });
    }
    return Dyadic(total);
}

template <std::size_t limbs>
Dyadic dyadic_of(const samesum::Fixed<limbs>& x) {
    Dyadic total;
    for (std::size_t i = 0; i < limbs; ++i)
        total =
            total + Dyadic(x.limb(i), 64 * static_cast<int>(i) - samesum::Fixed<limbs>::fraction_bits, false);
    return total;
}

// The sum of e^(x - top) of what is less than the greatest element, within 2^-230.
inline Dyadic exact_exponentials(const Set& set, double top) {
    constexpr std::size_t limbs = 5;
    samesum::Fixed<limbs> sum;
    for (std::size_t i = 0; i < set.n; ++i) {
        const double x = value_of(set.bits(i), set.format);
        if (x < top) sum += samesum::exponential_below<limbs>(top, x);
    }
    return dyadic_of(sum);
}

// Of one set of finite floats and the numbers that the reader gives; negative where these say nothing.
inline double quotient_of(const Row& row, const Set& set, const std::vector<double>& state) {
    for (const double each : state)
        if (!std::isfinite(each)) return -1;
    switch (row.known) {
        case Known::sums:
            return quotient(exact_sum(set, row.map) - Dyadic(state[0]) - Dyadic(state[1]), widened(state[2]));
        case Known::spreads: {
            const Dyadic n(set.n, 0, false), sum = exact_sum(set, Map::itself);
            const Dyadic spread = n * exact_sum(set, Map::square) - sum * sum;
            return quotient(spread - n * (Dyadic(state[0]) + Dyadic(state[1])), n * widened(state[2]));
        }
        case Known::products: {
            Dyadic product(1, 0, false);
            for (std::size_t i = 0; i < set.n; ++i) product = product * number_at(set, i);
            if (product.sign() == 0) return state[4] != 0 ? 0 : HUGE_VAL;  // it is marked
            const Dyadic known = (Dyadic(state[0]) + Dyadic(state[1])).scaled(static_cast<int>(state[3]));
            const Dyadic size = known.sign() < 0 ? -known : known;
            return quotient(known - product, size * widened(state[2]));
        }
        case Known::exponentials: {
            double top = -HUGE_VAL, equal = 0;
            for (std::size_t i = 0; i < set.n; ++i) top = std::fmax(top, value_of(set.bits(i), set.format));
            for (std::size_t i = 0; i < set.n; ++i) equal += value_of(set.bits(i), set.format) == top;
            if (state[0] != top || state[1] != equal) return HUGE_VAL;
            const Dyadic error = exact_exponentials(set, top) - Dyadic(state[2]) - Dyadic(state[3]);
            return quotient(error, widened(state[4]) + Dyadic(1, -230, false));
        }
        default:
            return -1;
    }
}

}  // namespace walk
