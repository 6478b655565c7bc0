// The results of one line of a normalization: by the method for it, by double-words, by exact sums.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "exact/moments/moments.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/norm_method.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/normalize/normalize.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

// Scale and bias of the lines of a normalization, as they repeat.

class NormScales {
  public:
    // Runs of a line with one number each are taken as such if they are long.
    NormScales(const View& x, const bool* lines, const View* scale, const View* bias,
               const NormMethods& methods)
        : methods_(methods),
          scale_(scale != nullptr ? *scale : constant(one)),
          bias_(bias != nullptr ? *bias : constant(zero)) {
        Dims within;
        for (int i = 0; i < x.rank; ++i) {
            if (x.shape[i] == 1) continue;
            const Dim d{x.shape[i], scale != nullptr ? scale->strides[i] : 0,
                        bias != nullptr ? bias->strides[i] : 0};
            (lines[i] ? within : kept_).push(d);
        }
        while (within.rank > 0 && is_same(within.dim[within.rank - 1]))
            run_ *= within.dim[--within.rank].size;
        within_ = within;
        if (within_.rank > 0 && run_ < least_scale_run) by_element_ = true;
        merge_neighbours(within_);
        takes_singles_ = x.format == Format::f32 && bias == nullptr && methods.narrow != nullptr &&
                         kept_.count() >= least_lines_of_singles;
        are_shared_ = std::all_of(kept_.dim, kept_.dim + kept_.rank, is_same);
        if (by_element_) keep();
        is_one_ = within_.rank == 0 && are_shared_;
        if (is_one_) one_ = numbers_at({0, 0});
    }

    // The same numbers for all lines, also of elements that each have their own.
    bool are_shared() const { return are_shared_; }

    // each(first element, how many, scale and bias of them) of the line, norm_elements at a time.
    template <class Each>
    void each_stretch(std::int64_t line, std::size_t n, const Each& each) const {
        if (!kept_numbers_.empty()) {
            const auto place = static_cast<std::size_t>(offsets_at(places_, line).in);
            for (std::size_t i = 0; i < n; i += norm_elements)
                each(i, std::min(norm_elements, n - i), kept_numbers_[place].stretches[i / norm_elements]);
            return;
        }
        const Offsets at = offsets_at(kept_, line);
        if (by_element_) {
            alignas(64) double scale[norm_elements], bias[norm_elements];
            alignas(64) float singles[norm_elements];
            for (std::size_t i = 0; i < n; i += norm_elements) {
                const std::size_t now = std::min(norm_elements, n - i);
                each(i, now, stretch(at, i, now, scale, bias, singles));
            }
            return;
        }
        Walk walk(within_, 0);
        for (std::size_t first = 0; first < n; first += static_cast<std::size_t>(run_), walk.next()) {
            const Pair own = is_one_ ? one_ : numbers_at({at.in + walk.in(), at.out + walk.out()});
            const NormScale both{&own.scale, &own.bias, false, own.scale_most, own.bias_most};
            const std::size_t end = first + static_cast<std::size_t>(run_);
            for (std::size_t i = first; i < end; i += norm_elements)
                each(i, std::min(norm_elements, end - i), both);
        }
    }

  private:
    static constexpr double one = 1, zero = 0;

    static View constant(const double& x) {
        return {reinterpret_cast<const char*>(&x), 0, nullptr, nullptr, Format::f64, false};
    }

    struct Pair {
        double scale, bias, scale_most, bias_most;
    };
    Pair numbers_at(const Offsets& at) const {
        Pair both;
        widen(scale_, at.in, 1, &both.scale);
        widen(bias_, at.out, 1, &both.bias);
        both.scale_most = methods_.greatest(&both.scale, 1);
        both.bias_most = methods_.greatest(&both.bias, 1);
        return both;
    }

    static bool is_same(const Dim& d) { return d.in == 0 && d.out == 0; }
    // The scales of all elements of a line, then their biases; the scales as float32.
    struct Numbers {
        std::unique_ptr<double[]> values;
        std::unique_ptr<float[]> singles;
        std::vector<NormScale> stretches;
    };

    void widen(const View& from, std::int64_t offset, std::size_t count, double* to) const {
        methods_.widen[static_cast<std::size_t>(from.format)](from.data + offset, count, to);
    }

    // Those of n elements of a row from number `first` on; each number stands for `run_` of them.
    void spread(const View& from, std::int64_t offset, std::int64_t stride, std::size_t first, std::size_t n,
                double* to) const {
        const std::size_t run = static_cast<std::size_t>(run_);
        const auto place = [&](std::size_t k) { return offset + static_cast<std::int64_t>(k) * stride; };
        if (stride == 0) {
            widen(from, offset, 1, to);
            std::fill_n(to, n, *to);
        } else if (run == 1 && stride == static_cast<std::int64_t>(size_of(from.format))) {
            widen(from, place(first), n, to);
        } else {
            for (std::size_t i = 0, now; i < n; i += now) {
                const std::size_t k = (first + i) / run;
                now = std::min((k + 1) * run - (first + i), n - i);
                widen(from, place(k), 1, to + i);
                std::fill_n(to + i, now, to[i]);
            }
        }
    }

    // The scales and biases of n <= norm_elements elements of a line from number `first` on.
    NormScale stretch(const Offsets& at, std::size_t first, std::size_t n, double* scale, double* bias,
                      float* singles) const {
        Dims outer = within_;
        const Dim inner = outer.dim[--outer.rank];
        const std::size_t row = static_cast<std::size_t>(inner.size * run_);
        Walk walk(outer, static_cast<std::int64_t>(first / row));
        for (std::size_t i = 0, j = first % row, now; i < n; i += now, j = 0, walk.next()) {
            now = std::min(row - j, n - i);
            spread(scale_, at.in + walk.in(), inner.in, j, now, scale + i);
            spread(bias_, at.out + walk.out(), inner.out, j, now, bias + i);
        }
        const bool has_singles = takes_singles_ && methods_.narrow(scale, n, singles);
        return {scale,
                bias,
                true,
                methods_.greatest(scale, n),
                methods_.greatest(bias, n),
                has_singles ? singles : nullptr};
    }

    // Those of all lines that differ, if they are few and there is more than one line. Others are made anew
    // for each line.
    void keep() {
        Dims different;
        for (int i = 0; i < kept_.rank; ++i)
            if (!is_same(kept_.dim[i])) different.push(kept_.dim[i]);
        const std::int64_t count = different.count();
        const bool are_many = count > 1 && count * within_.count() * run_ > most_shared_scales;
        if (are_many || kept_.count() == 1) return;
        std::int64_t place = count;
        for (int i = 0; i < kept_.rank; ++i) {
            const bool differs = !is_same(kept_.dim[i]);
            if (differs) place /= kept_.dim[i].size;
            places_.push({kept_.dim[i].size, differs ? place : 0, 0});
        }
        Walk walk(different, 0);
        for (std::int64_t i = 0; i < count; ++i, walk.next())
            kept_numbers_.push_back(expanded({walk.in(), walk.out()}));
    }

    Numbers expanded(const Offsets& at) const {
        const std::size_t n = static_cast<std::size_t>(within_.count() * run_);
        Numbers numbers{std::make_unique_for_overwrite<double[]>(2 * n),
                        std::make_unique_for_overwrite<float[]>(takes_singles_ ? n : 0),
                        {}};
        double* const scale = numbers.values.get();
        for (std::size_t i = 0; i < n; i += norm_elements)
            numbers.stretches.push_back(stretch(at, i, std::min(norm_elements, n - i), scale + i,
                                                scale + n + i, numbers.singles.get() + i));
        return numbers;
    }

    const NormMethods& methods_;
    const View scale_, bias_;
    Dims kept_, within_, places_;
    std::int64_t run_ = 1;
    bool takes_singles_ = false;
    bool by_element_ = false, are_shared_, is_one_;
    Pair one_ = {};
    std::vector<Numbers> kept_numbers_;
};

// Results of n <= norm_elements elements of a line; settle(k) for each that `method` leaves in doubt, or for
// all where it does not serve.
template <class Settle>
void finish_line(NormMethods::Finish method, const NormLine& line, const char* x, std::size_t n,
                 const NormScale& by, char* to, const Settle& settle) {
    std::uint16_t doubtful[norm_elements];
    const bool serves = line.is_known && by.is_in_range();
    const std::size_t found = serves ? method(line, x, n, by, to, doubtful) : n;
    for (std::size_t k = 0; k < found; ++k) settle(serves ? doubtful[k] : k);
}

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
          streamed_(streamed) {}

    void begin(std::int64_t number) {
        if (call_.inverse != nullptr)
            store_bits(call_.inverse, static_cast<std::size_t>(number), inverse(),
                       size_of(call_.inverse_format));
        is_nan_ = !line_.is_known && !exact().is_finite();
        for (std::size_t i = 0; is_nan_ && i < n_; ++i)
            store_bits(out_, i, canonical_nan(call_.format), size_of(call_.format));
    }

    // `now` elements from number i on.
    void take(std::size_t i, std::size_t now, const NormScale& by) {
        if (is_nan_) return;
        alignas(64) char buffer[norm_elements * 8];
        const std::size_t result = size_of(call_.format), item = size_of(format_);
        char* const to = streamed_ ? buffer : out_ + i * result;
        finish_line(finish_of(), line_, x_ + i * item, now, by, to, [&](std::size_t k) {
            const NormScale own = by.each ? by.of(k) : by;
            const bool is_certain = is_in_words(x_ + (i + k) * item, own, to + k * result);
            record(is_certain ? Route::norm_words : Route::norm_exact);
            if (!is_certain) put_exactly(x_ + (i + k) * item, own, to + k * result);
        });
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
        return exact().is_finite() ? exact().inverse(format) : canonical_nan(format);
    }

    // Of the exact sums of the line, made where the first result asks for them.
    const ExactNorm& exact() {
        if (exact_) return *exact_;
        const Map map = call_.row.divisor == Divisor::magnitudes ? Map::magnitude : Map::square;
        Superaccumulator sum, others;
        exact_sum_method(format_, Map::itself).lanes(&sum, 0, x_, n_, 0, 1);
        exact_sum_method(format_, map).lanes(&others, 0, x_, n_, 0, 1);
        return exact_.emplace(call_.row, sum, others, static_cast<std::int64_t>(n_));
    }

    void put_exactly(const char* x, const NormScale& by, char* out) {
        double element;
        methods_.widen[static_cast<std::size_t>(format_)](x, 1, &element);
        store_bits(out, 0, exact().result(element, *by.scale, *by.bias, call_.format), size_of(call_.format));
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
    std::optional<ExactNorm> exact_;
};

}  // namespace samesum
