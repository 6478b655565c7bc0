// Softmax and its logarithm of one line of float64. Everything that is added is added in an order that the
// vectors' width does not change, so the bits are the same from every instruction set.
#pragma once

#include "kernels/narrow_line.hpp"

namespace samesum::SAMESUM_ISA {

struct LineTotal {
    static constexpr std::size_t vectors = line_lanes / width;
    Doubles sum[vectors] = {}, rest[vectors] = {};

    SAMESUM_INLINE void add(std::size_t vector, DoubleWord value) {
        Doubles error;
        two_sum(sum[vector % vectors], value.hi, sum[vector % vectors], error);
        rest[vector % vectors] += error + value.lo;
    }

    // In every element of the vectors.
    DoubleWord all() const {
        double s[line_lanes], r[line_lanes];
        __builtin_memcpy(s, sum, sizeof s);
        __builtin_memcpy(r, rest, sizeof r);
        for (std::size_t half = line_lanes / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half; ++k) {
                double error;
                two_sum(s[k], s[k + half], s[k], error);
                r[k] += r[k + half] + error;
            }
        }
        const Doubles none = {};
        return ordered_sum(none + s[0], none + r[0]);
    }
};

struct DoubleLine {
    static constexpr Format format = Format::f64;
    using Round = Rounding<format>;

    const char* x;
    std::size_t n;
    char* out;

    // A whole vector from element i on, with -inf where the line is over.
    SAMESUM_INLINE Doubles at(std::size_t i) const {
        if (n - i >= width) return load<Doubles>(x + i * sizeof(double));
        char padded[width * sizeof(double)];
        pad<Float64>(x + i * sizeof(double), n - i, padded);
        Doubles v = load<Doubles>(padded);
        for (std::size_t k = n - i; k < width; ++k) v[k] = -infinity;
        return v;
    }

    SAMESUM_INLINE void put(std::size_t i, Doubles value) const {
        const auto bits = Round::of(value);
        if (n - i >= width) return Round::store_to(out, i, bits);
        std::memcpy(out + i * sizeof(double), &bits, (n - i) * sizeof(double));
    }

    void fill(double value) const {
        for (std::size_t i = 0; i < n; i += width) put(i, Doubles{} + value);
    }

    // The greatest element; NaN if there is one.
    double greatest() const {
        Doubles most = Doubles{} - infinity, invalid = {};
        for (std::size_t i = 0; i < n; i += width) {
            const Doubles v = at(i);
            most = v > most ? v : most;
            invalid += v != v ? v : Doubles{};
        }
        double result = most[0];
        for (std::size_t k = 0; k < width; ++k) {
            if (invalid[k] != invalid[k]) return __builtin_nan("");
            if (most[k] > result) result = most[k];
        }
        return result;
    }

    // x - most, exactly.
    static SAMESUM_INLINE DoubleWord below(Doubles v, double most) {
        DoubleWord d;
        two_sum(v, Doubles{} - most, d.hi, d.lo);
        return d;
    }

    // A result exists for a greatest element that is finite.
    bool refused(double most) const {
        if (samesum::magnitude(most) < infinity) return false;
        fill(__builtin_nan(""));
        return true;
    }
};

// Exponentials below this are nothing, even 2^600 times.
constexpr double vanishing = -1400;

// 2^exponent comes last, and rounds what is subnormal once.
SAMESUM_INLINE Doubles scaled_quotient(const ScaledDoubleWord& power, DoubleWord total) {
    const Doubles q = power.hi / total.hi;
    const Doubles remainder = fused(-q, total.hi, power.hi);
    const Doubles rest = (remainder + (power.lo - q * total.lo)) / total.hi;
    constexpr std::int64_t least = -900, step = 600;
    const Longs low = power.exponent < least;
    const Doubles one = Doubles{} + 1, value = low ? to_odd(q, rest) : q + rest;
    return scaled(value * (low ? one * 0x1p-600 : one), power.exponent + (low & step));
}

inline void softmax(const void* x, std::size_t n, void* out) {
    const DoubleLine line{static_cast<const char*>(x), n, static_cast<char*>(out)};
    const double most = line.greatest();
    if (line.refused(most)) return;
    LineTotal total;
    for (std::size_t i = 0; i < n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        total.add(i / width, exponential<68>(d.hi, d.lo));
    }
    const DoubleWord all = total.all();
    for (std::size_t i = 0; i < n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        const Longs some = d.hi > vanishing;
        const Doubles none = {}, y = scaled_quotient(
                                     scaled_exponential<68>(some ? d.hi : none, some ? d.lo : none), all);
        line.put(i, some ? y : none);
    }
}

// Below this the sum may have lost what is of its own size, since exponentials vanish at `least_power`.
constexpr double smallest_rest = 0x1p-900;

// All but the greatest element are so far below it that log(1 + u) is u, which is summed 2^600 times larger.
inline void put_almost_alone(const DoubleLine& line, double most) {
    LineTotal total;
    const Doubles none = {};
    for (std::size_t i = 0; i < line.n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        const Longs some = (d.hi > vanishing) & (d.hi < 0);
        const ScaledDoubleWord e = scaled_exponential<68>(some ? d.hi : none, some ? d.lo : none);
        const Longs exponent = e.exponent + 600;
        const Longs seen = some & (exponent > -1000 ? Longs{} - 1 : Longs{});
        const Longs usable = seen & exponent;
        total.add(i / width,
                  DoubleWord{seen ? scaled(e.hi, usable) : none, seen ? scaled(e.lo, usable) : none});
    }
    const DoubleWord u = total.all();
    const Doubles last = none - to_odd(u.hi, u.lo) * 0x1p-600;  // +0 for a line of one
    for (std::size_t i = 0; i < line.n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        line.put(i, d.hi == 0 ? last : d.hi);
    }
}

inline void log_softmax(const void* x, std::size_t n, void* out) {
    const DoubleLine line{static_cast<const char*>(x), n, static_cast<char*>(out)};
    const double most = line.greatest();
    if (line.refused(most)) return;
    LineTotal total;
    Longs equal = {};
    const Doubles none = {};
    for (std::size_t i = 0; i < n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        const Longs greatest = d.hi == 0;
        equal -= greatest;
        const DoubleWord e = exponential<68>(d.hi, d.lo);
        total.add(i / width, DoubleWord{greatest ? none : e.hi, greatest ? none : e.lo});
    }
    std::int64_t count = 0;
    for (std::size_t k = 0; k < width; ++k) count += equal[k];
    const DoubleWord rest = total.all();
    if (count == 1 && rest.hi[0] < smallest_rest) return put_almost_alone(line, most);
    const DoubleWord all = log_total<88>(none + static_cast<double>(count), rest);
    for (std::size_t i = 0; i < n; i += width) {
        const DoubleWord d = DoubleLine::below(line.at(i), most);
        Doubles sum, error;
        two_sum(d.hi, -all.hi, sum, error);
        const Longs finite = d.hi > -infinity;
        line.put(i, finite ? sum + (error + (d.lo - all.lo)) : d.hi);
    }
}

}  // namespace samesum::SAMESUM_ISA
