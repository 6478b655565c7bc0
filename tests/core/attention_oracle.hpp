// What attention's steps are exactly: products, exponentials and quotients in numbers of 130 bits and more.
#pragma once

#include <array>

#include "bounds.hpp"
#include "check.hpp"
#include "guards.hpp"
#include "methods/attention_method.hpp"
#include "reals.hpp"

namespace walk {

inline Dyadic one() { return Dyadic(1, 0, false); }
inline Dyadic magnitude(const Dyadic& x) { return x.sign() < 0 ? -x : x; }

using Words = std::array<double, 3>;

// n / d but for 2^-150 of it.
inline Words words_of(Dyadic n, const Dyadic& d = one()) {
    Words x{};
    const samesum::Scaled by = d.leading();
    for (double& each : x) {
        const samesum::Scaled left = n.leading();
        each = std::ldexp(left.fraction / by.fraction, left.exponent - by.exponent);
        n = n - Dyadic(each) * d;
    }
    return x;
}

inline Dyadic sum_of(const Words& x) { return Dyadic(x[0]) + Dyadic(x[1]) + Dyadic(x[2]); }

// e^x for x below 0, but for 2^-130 of it; zero below -1000.
inline Dyadic power(const Dyadic& x) {
    const Words w = words_of(x.scaled(-4));
    if (w[0] < -63) return {};
    REQUIRE(w[0] < 0);
    const Dyadic rest = Dyadic(w[1]) + Dyadic(w[2]);
    Dyadic y =
        dyadic_of(samesum::exponential_below<5>(0.0, w[0])) * (one() + rest + (rest * rest).scaled(-1));
    for (int i = 0; i < 4; ++i) y = sum_of(words_of(y * y));
    return y;
}

// Of numbers below 2^-12 by the first terms of its series.
inline Dyadic tanh_of(const Dyadic& x) {
    if (x.sign() <= 0) return x.sign() < 0 ? -tanh_of(-x) : x;
    if ((x - Dyadic(0x1p-12)).sign() < 0) {
        const Dyadic s = x * x, t = s * s;
        return sum_of(
            words_of(x * (Dyadic(315.0) - Dyadic(105.0) * s + Dyadic(42.0) * t - Dyadic(17.0) * s * t),
                     Dyadic(315.0)));
    }
    const Dyadic e = power(-x.scaled(1));
    return sum_of(words_of(one() - e, one() + e));
}

// Whether n / d rounds to these bits.
inline bool rounds_to(const Dyadic& n, const Dyadic& d, std::uint64_t bits, Format format) {
    const std::uint64_t sign = samesum::sign_bit(format), code = bits & (sign - 1);
    if (code > samesum::traits_of(format).largest + 1) return false;
    if (n.sign() == 0) return bits == 0;
    if ((n.sign() < 0) != ((bits & sign) != 0)) return false;
    const auto beyond_half = [&](std::uint64_t low) {
        const Dyadic half =
            (samesum::value_of_code(low, format) + samesum::value_of_code(low + 1, format)).scaled(-1);
        return (magnitude(n) - half * d).sign();
    };
    const int of_lower = code == 0 ? 1 : beyond_half(code - 1),
              of_upper = code > samesum::traits_of(format).largest ? -1 : beyond_half(code);
    const int least = code % 2 == 0 ? 0 : 1;
    return of_lower >= least && of_upper <= -least;
}

// Numbers (i, j) of which rows or terms lie side by side, apart or backwards.
struct Numbers {
    Format format;
    std::size_t rows, terms;
    std::ptrdiff_t row, term;
    char* data;

    Numbers(Guarded& from, Random& random, Format of, Family family, std::size_t m, std::size_t k,
            bool turned)
        : format(of), rows(m), terms(k) {
        const std::size_t size = samesum::size_of(format), gap = below(random, 3);
        row = sized((turned ? 1 + gap / 2 : k + gap) * size),
        term = sized((turned ? m * (1 + gap / 2) : 1) * size);
        data = from.take(static_cast<std::size_t>(sized(m - 1) * row + sized(k - 1) * term) + size,
                         one_in(random, 4) ? Edge::front : Edge::end);
        if (one_in(random, 4)) data += sized(m - 1) * row, row = -row;
        for (std::size_t i = 0; i < m; ++i) {
            const std::vector<std::uint64_t> bits = draw(random, format, family, k);
            for (std::size_t j = 0; j < k; ++j) std::memcpy(at(i, j), &bits[j], size);
        }
    }
    char* at(std::size_t i, std::size_t j) const { return data + sized(i) * row + sized(j) * term; }
    double number(std::size_t i, std::size_t j) const {
        return static_cast<double>(real_at(at(i, j), 0, format));
    }
    samesum::PanelSource by_rows() const { return {data, row, term, rows, terms}; }
    samesum::PanelSource by_terms() const { return {data, term, row, terms, rows}; }
};

// What is added to scores: nothing, numbers, the lowest one, and -infinity, which is also behind the last
// key.
inline std::vector<double> drawn_mask(Random& random, Format format, std::size_t keys, std::size_t lanes) {
    std::vector<double> mask(lanes, -HUGE_VAL);
    const std::size_t kind = below(random, 6);
    for (std::size_t j = 0; j < keys; ++j) {
        mask[j] = 0;
        if (kind > 2)
            mask[j] = value_of(float_bits(random, format, kind == 3 ? Family::plain : Family::whole), format);
        if (kind == 5 && one_in(random, 3))
            mask[j] = value_of(samesum::traits_of(format).largest | samesum::sign_bit(format), format);
        if (kind > 0 && one_in(random, 4)) mask[j] = -HUGE_VAL;
    }
    return mask;
}

// What is added to the score of a key, and what becomes of it exactly: none that is finite where `odd` is not
// zero.
struct Score {
    double odd = 0;
    Dyadic scaled, capped, masked;
    bool is_out = false;

    Score(const Numbers& keys, std::size_t j, const double* query, const samesum::ScoreScale& scale,
          double mask) {
        samesum::Superaccumulator total;
        double near = 0;
        for (std::size_t t = 0; t < keys.terms; ++t) {
            near += keys.number(j, t) * query[t];
            if (std::isfinite(near)) samesum::add_double(total, keys.number(j, t) * query[t]);
        }
        if (std::isfinite(near))
            capped = scaled = Dyadic(total) * (Dyadic(scale.hi) + Dyadic(scale.lo));
        else
            odd = near * scale.hi;
        if (scale.cap != 0 && odd == 0)
            capped = Dyadic(scale.cap) * tanh_of(sum_of(words_of(scaled, Dyadic(scale.cap))));
        if (scale.cap != 0 && std::isinf(odd)) capped = Dyadic(std::copysign(scale.cap, odd)), is_kept = true;
        is_out = mask == -HUGE_VAL || (!is_kept && odd == -HUGE_VAL);
        if (!is_out && is_number()) masked = capped + Dyadic(mask);
    }
    bool is_number() const { return odd == 0 || is_kept; }

  private:
    bool is_kept = false;  // by the cap
};

// All scores of a query, and e^(score - greatest - 1) of the keys that are not left out.
struct ExactRow {
    std::vector<Score> scores;
    std::vector<Dyadic> weights;
    Dyadic greatest, total;
    bool is_special = false, any = false;

    ExactRow(const Numbers& keys, const double* query, const samesum::ScoreScale& scale,
             const std::vector<double>& mask) {
        for (std::size_t j = 0; j < keys.rows; ++j) {
            const Score& each = scores.emplace_back(keys, j, query, scale, mask[j]);
            if (each.is_out) continue;
            if (!any || (each.masked - greatest).sign() > 0) greatest = each.masked;
            is_special |= !each.is_number(), any = true;
        }
        for (const Score& each : scores) {
            const bool counts = !each.is_out && !is_special;
            weights.push_back(counts ? power(each.masked - greatest - one()) : Dyadic());
            total = total + weights.back();
        }
    }

    // What is shown of key j is the first over the second.
    std::array<Dyadic, 2> shown(samesum::Shown what, std::size_t j) const {
        const Score& each = scores[j];
        if (what == samesum::Shown::weights) return {weights[j], total};
        return {what == samesum::Shown::scaled   ? each.scaled
                : what == samesum::Shown::capped ? each.capped
                                                 : each.masked,
                one()};
    }
};

}  // namespace walk
