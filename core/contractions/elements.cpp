#include "contractions/elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/moments/dyadic.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::size_t vector_elements = 8;

// alpha total + beta addend where one of them is not finite: nothing else about the others counts but signs.
std::uint64_t special_result(const Superaccumulator& total, double alpha, double beta, double addend,
                             Format format) {
    double sum = Dyadic(total).sign();
    if (total.is_nan())
        sum = std::nan("");
    else if (!total.is_finite())
        sum = total.has_negative_infinity() ? -HUGE_VAL : HUGE_VAL;
    const auto without_size = [](double x) {
        return std::isfinite(x) ? static_cast<double>((x > 0) - (x < 0)) : x;
    };
    const double scaled = without_size(alpha) * sum,
                 added = beta == 0 ? 0 : without_size(beta) * without_size(addend);
    return round_bits(scaled + added, format);
}

// The last place of the least of n numbers of float32 that is not zero: all are multiples of it.
double least_place(const char* numbers, std::size_t n) {
    std::uint32_t least = UINT32_MAX;
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, numbers + 4 * i, 4);
        least = std::min(least, (bits & 0x7fffffff) - 1);  // of a zero the greatest
    }
    return std::ldexp(1, std::max<int>(static_cast<int>((least + 1) >> 23), 1) - 150);
}

}  // namespace

ContractionElements::ContractionElements(const Contraction& call)
    : call_(call),
      methods_(*current_instruction_set().contractions),
      terms_(call.a.inner.size()),
      format_(call.a.format == Format::f64 ? Format::f64 : Format::f32),
      is_finite_(std::isfinite(call.alpha) && std::isfinite(call.beta)),
      rows_(2 * (terms_ + 1) * size_of(format_)),
      tile_(tile_bytes),
      a_(rows_.get()),
      b_(a_ + (terms_ + 1) * size_of(format_)) {}

void ContractionElements::gather(const ContractionOperand& x, std::size_t g, std::size_t row,
                                 std::int64_t& known, char* to) const {
    const std::int64_t number = static_cast<std::int64_t>(g * x.outer.size() + row);
    if (known == number) return;
    known = number;
    methods_.gather({x.data + x.batch[g], &x.outer[row], x.inner.data(), 1, terms_, x.format}, format_, to);
}

Sum ContractionElements::in_double_words() const {
    const DotMethods& dots = *current_instruction_set().dots;
    const auto format = static_cast<std::size_t>(format_);
    const Method& method = dots.floats[format];
    method.init(tile_.get(), 1);
    const std::size_t size = size_of(format_);
    for (std::size_t k = 0; k < terms_; k += block_elements) {
        const PairRows pair{a_ + k * size, b_ + k * size, 0, false};
        method.lanes(tile_.get(), 0, &pair, std::min(block_elements, terms_ - k), 0, 1);
    }
    return dots.total[format](tile_.get(), 0, static_cast<std::int64_t>(terms_));
}

std::uint64_t ContractionElements::exactly(double addend) const {
    Superaccumulator total;
    record(Route::contraction_exact);
    add_products(total, a_, b_, terms_, format_);
    const Format out = call_.out.format;
    if (!total.is_finite() || !is_finite_ || !std::isfinite(addend))
        return special_result(total, call_.alpha, call_.beta, addend, out);
    if (call_.alpha == 1 && (call_.beta == 0 || call_.beta == 1)) {
        add_double(total, addend);
        return total.rounded({Finalize::itself, out, 1});
    }
    return (Dyadic(call_.alpha) * Dyadic(total) + Dyadic(call_.beta) * Dyadic(addend)).rounded(out);
}

void ContractionElements::put(std::size_t g, std::size_t m, std::size_t n) {
    gather(call_.a, g, m, row_of_a_, a_);
    gather(call_.b, g, n, row_of_b_, b_);
    double addends[vector_elements] = {};
    if (call_.c.data != nullptr) {
        const std::int64_t place = call_.c.inner[n];
        methods_.gather({call_.c.data + call_.c.batch[g], &call_.c.outer[m], &place, 1, 1, call_.c.format},
                        Format::f64, addends);
    }
    const std::size_t size = size_of(call_.out.format);
    char* const to =
        const_cast<char*>(call_.out.data) + call_.out.batch[g] + call_.out.outer[m] + call_.out.inner[n];
    if (is_finite_) {
        Sum total = in_double_words();
        if (format_ == Format::f32 && std::fabs(total.hi) < 2 * total.bound &&
            is_zero(total.hi, total.lo, total.bound, least_place(a_, terms_) * least_place(b_, terms_)))
            total = {};
        const double hi[vector_elements] = {total.hi}, lo[vector_elements] = {total.lo},
                     bound[vector_elements] = {total.bound};
        std::uint8_t failed;
        record(Route::contraction_double_words);
        if (methods_.finish({hi, lo, bound, 1, call_.c.data != nullptr ? addends : nullptr, call_.alpha,
                             call_.beta, true},
                            1, call_.out.format, to, &failed) == 0)
            return;
    }
    store_bits(to, 0, exactly(addends[0]), size);
}

}  // namespace samesum
