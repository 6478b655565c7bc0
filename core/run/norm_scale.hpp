// Scale and bias of the lines of a normalization, as they repeat.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "arithmetic/error_free.hpp"
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
        if (within_.rank > 0 && run_ < least_run) by_element_ = true;
        if (by_element_) share();
    }

    // each(first element, how many, scale and bias of them) of the line, norm_elements at a time.
    template <class Each>
    void each_stretch(std::int64_t line, std::size_t n, const Each& each) const {
        if (by_element_) {
            const Numbers own = shared_.empty() ? expanded(offsets_at(kept_, line)) : Numbers{};
            const Numbers& numbers =
                shared_.empty() ? own : shared_[static_cast<std::size_t>(offsets_at(places_, line).in)];
            const double *const scale = numbers.values.data(), *const bias = scale + n;
            for (std::size_t i = 0; i < n; i += norm_elements) {
                const double* const most = numbers.most.data() + 2 * (i / norm_elements);
                each(i, std::min(norm_elements, n - i),
                     NormScale{scale + i, bias + i, true, most[0], most[1]});
            }
            return;
        }
        const Offsets at = offsets_at(kept_, line);
        Walk walk(within_, 0);
        for (std::size_t first = 0; first < n; first += static_cast<std::size_t>(run_), walk.next()) {
            const double scale = number(scale_ + at.in + walk.in()),
                         bias = number(bias_ + at.out + walk.out());
            const NormScale both{&scale, &bias, false, size_in_range(scale), size_in_range(bias)};
            const std::size_t end = first + static_cast<std::size_t>(run_);
            for (std::size_t i = first; i < end; i += norm_elements)
                each(i, std::min(norm_elements, end - i), both);
        }
    }

  private:
    static constexpr std::int64_t least_run = 64, most_shared = 1 << 16;  // elements
    static constexpr double one = 1, nothing = 0;

    static bool is_same(const Dim& d) { return d.in == 0 && d.out == 0; }
    static double number(const char* p) {
        double value;
        __builtin_memcpy(&value, p, sizeof value);
        return value + 0.0;  // zeros of a sum are +0
    }

    // The scales of all elements of a line, then their biases; and of each stretch the greatest magnitudes.
    struct Numbers {
        std::vector<double> values, most;
    };

    // Of a number that takes no product out of the range of double; else NaN.
    static double size_in_range(double x) {
        const double size = samesum::magnitude(x);
        return (size > 0x1p-400 && size < 0x1p400) || size == 0 ? size : __builtin_nan("");
    }

    // NaN where some number is not in that range.
    static double greatest(const double* p, std::size_t n) {
        double most = 0, flaw = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double size = size_in_range(p[i]);
            most = std::max(most, size);
            flaw += size * 0;
        }
        return most + flaw;
    }

    // Those of all lines that differ, if they are few.
    void share() {
        Dims different;
        for (int i = 0; i < kept_.rank; ++i)
            if (!is_same(kept_.dim[i])) different.push(kept_.dim[i]);
        const std::int64_t count = different.count();
        if (count > 1 && count * within_.count() * run_ > most_shared) return;
        std::int64_t place = count;
        for (int i = 0; i < kept_.rank; ++i) {
            const bool differs = !is_same(kept_.dim[i]);
            if (differs) place /= kept_.dim[i].size;
            places_.push({kept_.dim[i].size, differs ? place : 0, 0});
        }
        Walk walk(different, 0);
        for (std::int64_t i = 0; i < count; ++i, walk.next())
            shared_.push_back(expanded({walk.in(), walk.out()}));
    }

    Numbers expanded(const Offsets& at) const {
        const std::size_t n = static_cast<std::size_t>(within_.count() * run_),
                          run = static_cast<std::size_t>(run_);
        Numbers numbers{std::vector<double>(2 * n), {}};
        double *const scale = numbers.values.data(), *const bias = scale + n;
        Walk walk(within_, 0);
        for (std::size_t i = 0; i < n; i += run, walk.next()) {
            std::fill_n(scale + i, run, number(scale_ + at.in + walk.in()));
            std::fill_n(bias + i, run, number(bias_ + at.out + walk.out()));
        }
        for (std::size_t i = 0; i < n; i += norm_elements) {
            const std::size_t now = std::min(norm_elements, n - i);
            numbers.most.push_back(greatest(scale + i, now));
            numbers.most.push_back(greatest(bias + i, now));
        }
        return numbers;
    }

    const char *scale_, *bias_;
    Dims kept_, within_, places_;
    std::int64_t run_ = 1;
    bool by_element_ = false;
    std::vector<Numbers> shared_;
};

}  // namespace samesum
