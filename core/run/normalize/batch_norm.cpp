#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "arithmetic/error_free.hpp"
#include "arithmetic/rounding.hpp"
#include "exact/moments/moments.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "methods/norm_method.hpp"
#include "run/normalize/norm_line.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

// What the elements of each channel are normalized by.

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

namespace {

class BatchNorm {
  public:
    explicit BatchNorm(const BatchNormCall& call)
        : call_(call),
          methods_(*current_instruction_set().norms),
          finish_(methods_.finish[static_cast<std::size_t>(call.x.format)]),
          size_(size_of(call.x.format)),
          dims_(dims_of(call)),
          packing_(dims_, size_, call.x.swapped) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(call.channels); ++i)
            channels_.push_back(channel_of(call, i, methods_));
        const Dim last = run();
        are_rows_ = last.out == 1 && last.size == call.channels;
        if (are_rows_ && call.x.format != Format::f64)
            rows_.make(channels_,
                       static_cast<std::size_t>(std::min<std::int64_t>(norm_elements, dims_.count())),
                       methods_);
    }

    void normalize() const {
        const std::int64_t count = dims_.count();
        // Whole rows, where they are taken channel by channel.
        const std::int64_t some =
            are_rows_ && !rows_.are_usable()
                ? std::max<std::int64_t>(elementwise_task_elements / call_.channels, 1) * call_.channels
                : std::int64_t{elementwise_task_elements};
        const SharedWork work(count, elementwise_threaded_elements, elementwise_brief_elements);
        for_each_batch(count, some, work.threads,
                       [&](std::int64_t first, std::int64_t n) { take(first, n); });
    }

  private:
    // `out` counts channels.
    static Dims dims_of(const BatchNormCall& call) {
        Dims dims;
        for (int i = 0; i < call.x.rank; ++i)
            if (call.x.shape[i] != 1) dims.push({call.x.shape[i], call.x.strides[i], call.steps[i]});
        merge_neighbours(dims);
        return dims;
    }
    Dim run() const { return dims_.rank > 0 ? dims_.dim[dims_.rank - 1] : Dim{1, 0, 0}; }
    char* result(std::int64_t i) const {
        return static_cast<char*>(call_.out) + static_cast<std::size_t>(i) * size_;
    }
    void take(std::int64_t first, std::int64_t n) const {
        record(are_rows_ ? rows_.are_usable() ? Route::batch_norm_rows : Route::batch_norm_columns
                         : Route::batch_norm_runs);
        if (are_rows_ && !rows_.are_usable()) return take_columns(first, n);
        alignas(64) char copied[norm_elements * 8];
        const Dim last = run();
        for (std::int64_t i = first, now; i < first + n; i += now) {
            now = std::min<std::int64_t>(first + n - i, norm_elements);
            if (!are_rows_) now = last.out == 0 ? std::min(now, last.size - i % last.size) : 1;
            const auto some = static_cast<std::size_t>(now);
            const char* const x = packing_.elements(call_.x.data, i, now, copied);
            if (are_rows_)
                take_row(static_cast<std::size_t>(i % call_.channels), x, some, result(i));
            else
                take_channel(static_cast<std::size_t>(offsets_at(dims_, i).out), x, some, result(i));
        }
    }

    void take_row(std::size_t place, const char* x, std::size_t n, char* to) const {
        finish_line(finish_, bounded(rows_.line, x, n), x, n, rows_.from(place), to, [&](std::size_t k) {
            take_channel((place + k) % channels_.size(), x + k * size_, 1, to + k * size_);
        });
    }

    // Elements of one channel. What is exact of it is made where the first element asks for it.
    void take_channel(std::size_t number, const char* x, std::size_t n, char* to) const {
        const Channel& channel = channels_[number];
        std::optional<ExactNorm> exact;
        const bool any = call_.x.format == Format::f32 && methods_.finish_any != nullptr;
        const NormLine line = any ? likely(channel.line, x, n) : bounded(channel.line, x, n);
        finish_line(any ? methods_.finish_any : finish_, line, x, n, channel.both(), to,
                    [&](std::size_t k) { put_exactly(channel, exact, x, k, to); });
    }

    // With the bound of these elements, which is infinite if one of them is not finite.
    NormLine bounded(NormLine line, const char* x, std::size_t n) const {
        constexpr double slack = 1 + 0x1p-40;
        const double size =
            in_float_format(call_.x.format, [&]<Format f>() { return greatest_magnitude<f>(x, n); });
        line.most = (size + magnitude(line.centre)) * line.inverse * slack;
        return line;
    }

    // With what holds for most of these elements, as the first ones are.
    NormLine likely(NormLine line, const char* x, std::size_t n) const {
        constexpr double above = 8;  // of the deviation, or about four times the greatest of a few
        line = bounded(line, x, std::min(n, static_cast<std::size_t>(seen_norm_elements)));
        line.most = std::max(line.most * above / 2, above);
        return line;
    }

    // Rows, in pieces that stay in the cache, channel by channel.
    void take_columns(std::int64_t first, std::int64_t n) const {
        const std::int64_t rows = n / call_.channels, row = call_.channels * static_cast<std::int64_t>(size_),
                           item = static_cast<std::int64_t>(size_);
        const Scratch room(packing_.is_direct() ? 64 : static_cast<std::size_t>(n) * size_);
        const char* const x = packing_.elements(call_.x.data, first, n, room.get());
        alignas(64) char column[norm_elements * 8], made[norm_elements * 8];
        for (std::int64_t r = 0, now; r < rows; r += now) {
            now = std::min<std::int64_t>(rows - r, norm_elements);
            const auto some = static_cast<std::size_t>(now);
            for (std::int64_t c = 0; c < call_.channels; ++c) {
                copy_elements(x + r * row + c * item, row, column, item, some, size_, false);
                take_channel(static_cast<std::size_t>(c), column, some, made);
                copy_elements(made, item, result(first + r * call_.channels + c), row, some, size_, false);
            }
        }
    }

    void put_exactly(const Channel& c, std::optional<ExactNorm>& exact, const char* from, std::size_t i,
                     char* to) const {
        double x;
        methods_.widen[static_cast<std::size_t>(call_.x.format)](from + i * size_, 1, &x);
        const double sum = c.variance + call_.epsilon;
        const bool is_finite = std::isfinite(x) && std::isfinite(c.mean) && std::isfinite(c.scale) &&
                               std::isfinite(c.bias) && std::isfinite(sum) && sum > 0;
        if (is_finite && !exact) exact.emplace(c.mean, c.variance, call_.epsilon);
        const std::uint64_t bits =
            is_finite ? exact->result(x, c.scale, c.bias, call_.x.format)
                      : round_bits((x - c.mean) * (c.scale / std::sqrt(sum)) + c.bias, call_.x.format);
        store_bits(to, i, bits, size_);
    }

    template <Format format>
    double greatest_magnitude(const char* x, std::size_t n) const {
        const auto greatest = greatest_bits<format>(x, n);
        double size;
        methods_.widen[static_cast<std::size_t>(format)](reinterpret_cast<const char*>(&greatest), 1, &size);
        return std::isfinite(size) ? size : HUGE_VAL;
    }

    // Of magnitudes. Compilers make vector code of it.
    template <Format format>
    static auto greatest_bits(const char* x, std::size_t n) {
        using Bits = std::conditional_t<size_of(format) == 8, std::int64_t,
                                        std::conditional_t<size_of(format) == 4, std::int32_t, std::int16_t>>;
        constexpr auto sizes = static_cast<Bits>(sign_bit(format) - 1);
        Bits greatest = 0;
        for (std::size_t k = 0; k < n; ++k) {
            Bits bits;
            std::memcpy(&bits, x + k * sizeof bits, sizeof bits);
            greatest = std::max(greatest, static_cast<Bits>(bits & sizes));
        }
        return greatest;
    }

    const BatchNormCall& call_;
    const NormMethods& methods_;
    const NormMethods::Finish finish_;
    const std::size_t size_;
    const Dims dims_;
    const Packing packing_;
    std::vector<Channel> channels_;
    RowNumbers rows_;
    bool are_rows_;
};

}  // namespace

void normalize_batch(const BatchNormCall& call) {
    const FloatingPointScope scope;
    BatchNorm(call).normalize();
}

}  // namespace samesum
