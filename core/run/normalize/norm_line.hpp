// The results of one line of a normalization: by the method for it, by double-words, by exact sums.
#pragma once

#include <memory>
#include <optional>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/moments/norm.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/stream.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/normalize/norms.hpp"
#include "select/routes.hpp"

namespace samesum {

inline double element_at(const char* x, std::size_t i, Format format) {
    return in_float_format(format, [&]<Format f>() {
        const Element e = float_at<f>(x + i * size_of(f));
        const double size = __builtin_ldexp(static_cast<double>(e.significand), e.exponent);
        return e.negative ? -size : size;
    });
}

// The exact sums of a line, made where the first result asks for them.
class ExactLine {
  public:
    ExactLine(const NormCall& call, Format format, const char* x, std::size_t n)
        : call_(call), format_(format), x_(x), n_(n) {}

    const ExactNorm& get() {
        if (norm_) return *norm_;
        const Map map = call_.row.divisor == Divisor::magnitudes ? Map::magnitude : Map::square;
        Superaccumulator sum, others;
        exact_sum_method(format_, Map::itself).lanes(&sum, 0, x_, n_, 0, 1);
        exact_sum_method(format_, map).lanes(&others, 0, x_, n_, 0, 1);
        norm_ = std::make_unique<ExactNorm>(call_.row, sum, others, static_cast<std::int64_t>(n_));
        return *norm_;
    }
    void put(std::size_t i, double scale, double bias, char* out) {
        const double x = element_at(x_, i, format_);
        store_bits(out, 0, get().result(x, scale, bias, call_.format), size_of(call_.format));
    }

  private:
    const NormCall& call_;
    const Format format_;
    const char* const x_;
    const std::size_t n_;
    std::unique_ptr<ExactNorm> norm_;
};

// A line that is measured, of elements of the results' format or of float64.
class MeasuredLine {
  public:
    MeasuredLine(const NormCall& call, Format format, std::size_t n, const NormLine& line, const char* x,
                 char* out, bool streamed)
        : call_(call),
          methods_(*current_instruction_set().norms),
          format_(format),
          n_(n),
          line_(line),
          x_(x),
          out_(out),
          streamed_(streamed),
          exact_(call, format, x, n) {}

    void begin(std::int64_t number) {
        if (call_.inverse != nullptr)
            store_bits(call_.inverse, static_cast<std::size_t>(number), inverse(),
                       size_of(call_.inverse_format));
        is_nan_ = !line_.is_known && !exact_.get().is_finite();
        for (std::size_t i = 0; is_nan_ && i < n_; ++i)
            store_bits(out_, i, canonical_nan(call_.format), size_of(call_.format));
    }

    // `now` elements from number i on.
    void take(std::size_t i, std::size_t now, const NormScale& by) {
        if (is_nan_) return;
        alignas(64) char buffer[norm_elements * 8];
        std::uint16_t doubtful[norm_elements];
        const std::size_t result = size_of(call_.format), item = size_of(format_);
        char* const to = streamed_ ? buffer : out_ + i * result;
        const auto settle = [&](std::size_t k) {
            const NormScale own = by.each ? by.of(k) : by;
            const bool is_certain = is_in_words(x_ + (i + k) * item, own, to + k * result);
            record(is_certain ? Route::norm_words : Route::norm_exact);
            if (is_certain) return;
            exact_.put(i + k, *own.scale, *own.bias, to + k * result);
        };
        if (line_.is_known && by.is_in_range()) {
            const std::size_t found = finish_of()(line_, x_ + i * item, now, by, to, doubtful);
            for (std::size_t k = 0; k < found; ++k) settle(doubtful[k]);
        } else {
            for (std::size_t k = 0; k < now; ++k) settle(k);
        }
        if (streamed_) stream(out_ + i * result, buffer, now * result);
    }

  private:
    NormMethods::Finish finish_of() const {
        const std::size_t in = static_cast<std::size_t>(format_),
                          out = static_cast<std::size_t>(call_.format);
        return format_ == call_.format ? methods_.finish[in] : methods_.finish_words[out];
    }

    // The bounds of 1 / d most often round to one number. For narrow formats they are rounded to float64
    // first, which must not bring one onto a tie. (Lemma 57)
    std::uint64_t inverse() {
        const Format format = call_.inverse_format;
        const double near = line_.inverse, rest = line_.inverse_rest,
                     error = near * (line_.inverse_error * (1 + 0x1p-40) +
                                     (format == Format::f64 ? 0x1p-100 : 0x1p-51));
        if (line_.is_known && near > 0x1p-800 && near < 0x1p800) {
            const std::uint64_t low = round_bits(near + (rest - error), format);
            if (low == round_bits(near + (rest + error), format)) return low;
        }
        return exact_.get().is_finite() ? exact_.get().inverse(format) : canonical_nan(format);
    }

    // Whether double-words tell the result of an element, which is written then. They measure the line
    // where the first element asks for it: exact sums take ten times as long.
    bool is_in_words(const char* x, const NormScale& by, char* out) {
        if (format_ == Format::f64 || !line_.is_known || !by.is_in_range()) return false;
        const std::size_t format = static_cast<std::size_t>(format_);
        const auto widen = methods_.widen[format];
        if (!words_) methods_.measure_words(call_.row, widen, size_of(format_), x_, n_, &words_.emplace());
        if (!words_->is_known) return false;
        double element;
        widen(x, 1, &element);
        std::uint16_t doubtful;
        return methods_.finish_words[format](*words_, reinterpret_cast<const char*>(&element), 1, by, out,
                                             &doubtful) == 0;
    }

    const NormCall& call_;
    const NormMethods& methods_;
    const Format format_;
    const std::size_t n_;
    const NormLine& line_;
    const char* const x_;
    char* const out_;
    const bool streamed_;
    bool is_nan_ = false;
    std::optional<NormLine> words_;
    ExactLine exact_;
};

}  // namespace samesum
