// Scale and bias of the lines of a normalization, as they repeat.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "layout/plan.hpp"
#include "methods/norm_method.hpp"

namespace samesum {

class NormScales {
  public:
    // Of float64, or null. Runs of a line with one number each are taken as such if they are long.
    NormScales(const View& x, const bool* lines, const View* scale, const View* bias)
        : scale_(scale != nullptr ? scale->data : reinterpret_cast<const char*>(&one)),
          bias_(bias != nullptr ? bias->data : reinterpret_cast<const char*>(&nothing)) {
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
        const bool varies = !std::all_of(kept_.dim, kept_.dim + kept_.rank, is_same);
        if (within_.rank > 0 && run_ < least_run) by_element_ = true;
        if (by_element_ && !varies) shared_ = expanded(0);
    }

    // each(first element, how many, scale and bias of them) of the line, `most` at a time.
    template <class Each>
    void each_stretch(std::int64_t line, std::size_t n, std::size_t most, const Each& each) const {
        if (by_element_) {
            const std::vector<double> own = shared_.empty() ? expanded(line) : std::vector<double>{};
            const double* const numbers = (shared_.empty() ? own : shared_).data();
            for (std::size_t i = 0; i < n; i += most)
                each(i, std::min(most, n - i), NormScale{numbers + i, numbers + n + i, true});
            return;
        }
        const Offsets at = offsets_at(kept_, line);
        Walk walk(within_, 0);
        for (std::size_t first = 0; first < n; first += static_cast<std::size_t>(run_), walk.next()) {
            const double scale = number(scale_ + at.in + walk.in()),
                         bias = number(bias_ + at.out + walk.out());
            const std::size_t end = first + static_cast<std::size_t>(run_);
            for (std::size_t i = first; i < end; i += most)
                each(i, std::min(most, end - i), NormScale{&scale, &bias, false});
        }
    }

  private:
    static constexpr std::int64_t least_run = 64;
    // A bias of -0 leaves the sign of a zero as it is.
    static constexpr double one = 1, nothing = -0.0;

    static bool is_same(const Dim& d) { return d.in == 0 && d.out == 0; }
    static double number(const char* p) {
        double value;
        __builtin_memcpy(&value, p, sizeof value);
        return value;
    }

    // The scales of all elements of a line, then their biases.
    std::vector<double> expanded(std::int64_t line) const {
        const Offsets at = offsets_at(kept_, line);
        const std::size_t n = static_cast<std::size_t>(within_.count() * run_),
                          run = static_cast<std::size_t>(run_);
        std::vector<double> numbers(2 * n);
        Walk walk(within_, 0);
        for (std::size_t i = 0; i < n; i += run, walk.next()) {
            std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(i), run,
                        number(scale_ + at.in + walk.in()));
            std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(n + i), run,
                        number(bias_ + at.out + walk.out()));
        }
        return numbers;
    }

    const char *scale_, *bias_;
    Dims kept_, within_;
    std::int64_t run_ = 1;
    bool by_element_ = false;
    std::vector<double> shared_;
};

}  // namespace samesum
