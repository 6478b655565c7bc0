// What the elements of each channel are normalized by.
#pragma once

#include <cmath>
#include <vector>

#include "arithmetic/error_free.hpp"
#include "methods/norm_method.hpp"
#include "run/normalize/batch_norm.hpp"

namespace samesum {

// The numbers of a channel; its line has the mean as centre and the inverse deviation in two words, and no
// bound of the elements yet. A term of -0 would give -0 where the exact result is zero.
struct Channel {
    double scale, bias, mean, variance, term;
    NormLine line;

    NormScale both() const { return {&scale, &term, false, magnitude(scale), magnitude(term)}; }
};

// Between these the inverse and its rest are normal numbers, and so is the square of the first.
constexpr double least_variance = 0x1p-400, most_variance = 0x1p400;

inline Channel channel_of(const BatchNormCall& call, std::size_t i, const NormMethods& methods) {
    Channel c{call.scale[i], call.bias[i], call.mean[i], call.variance[i], call.bias[i] + 0.0, {}};
    double hi, lo;
    two_sum(c.variance, call.epsilon, hi, lo);
    const double numbers[] = {c.scale, c.bias, c.mean};
    if (!(hi > least_variance && hi < most_variance) || std::isnan(methods.greatest(numbers, 3))) return c;
    // One step of Newton's method from a number that is off by less than 2^-51 of it: what is left of one is
    // off by less than 2^-102, and the next term of the series is a third of that at most.
    const double near = 1 / std::sqrt(hi), square = near * near, product = square * hi;
    const double left =
        ((1 - product) - std::fma(square, hi, -product)) - (std::fma(near, near, -square) * hi + square * lo);
    c.line = {c.mean, 0, 0, 0, near, near * (left * (0.5 + 0.375 * left)), 0x1p-98, HUGE_VAL, true};
    return c;
}

// Rows of elements with channels side by side: x times a factor, and a term, for each channel in turn. They
// are repeated, so that elements from any place of a row on have theirs side by side.
struct RowNumbers {
    std::vector<double> scale, bias;
    NormScale both{};
    NormLine line{};  // which changes nothing

    bool are_usable() const { return line.is_known && both.is_in_range(); }
    NormScale from(std::size_t place) const {
        return {scale.data() + place, bias.data() + place, true, both.scale_most, both.bias_most};
    }

    // With so many more than there are channels.
    void make(const std::vector<Channel>& channels, std::size_t more, const NormMethods& methods) {
        const std::size_t n = channels.size();
        line = {0, 0, 0, 0, 1, 0, 0x1p-50, HUGE_VAL, true};
        for (const Channel& c : channels) line.is_known = add(c) && line.is_known;
        both = {nullptr, nullptr, true, methods.greatest(scale.data(), n), methods.greatest(bias.data(), n)};
        for (std::size_t i = 0; i < more; ++i) {
            scale.push_back(scale[i]);
            bias.push_back(bias[i]);
        }
    }

    // False if more than a part of 2^-52 of the term may be wrong: where little is left of its parts.
    bool add(const Channel& c) {
        const double factor = c.scale * c.line.inverse, product = factor * c.mean,
                     rest = c.scale * c.line.inverse_rest + std::fma(c.scale, c.line.inverse, -factor),
                     lost = std::fma(factor, c.mean, -product) + rest * c.mean;
        double term, carry;
        two_sum(c.bias, -product, term, carry);
        scale.push_back(factor);
        bias.push_back(term + (carry - lost));
        return c.line.is_known && magnitude(bias.back()) >= magnitude(product) * 0x1p-40;
    }
};

}  // namespace samesum
