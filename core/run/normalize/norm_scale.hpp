// Scale and bias of the lines of a normalization, as they repeat.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "layout/plan.hpp"
#include "methods/norm_method.hpp"
#include "select/normalization_thresholds.hpp"

namespace samesum {

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
        if (by_element_) share();
    }

    // Numbers of their own for the elements of a line, the same for all lines.
    bool are_shared() const { return shared_.size() == 1; }

    // each(first element, how many, scale and bias of them) of the line, norm_elements at a time.
    template <class Each>
    void each_stretch(std::int64_t line, std::size_t n, const Each& each) const {
        if (by_element_) {
            const Numbers own = shared_.empty() ? expanded(offsets_at(kept_, line)) : Numbers{};
            const Numbers& numbers =
                shared_.empty() ? own : shared_[static_cast<std::size_t>(offsets_at(places_, line).in)];
            const double *const scale = numbers.values.get(), *const bias = scale + n;
            for (std::size_t i = 0; i < n; i += norm_elements) {
                const Stretch& stretch = numbers.stretches[i / norm_elements];
                each(i, std::min(norm_elements, n - i),
                     NormScale{scale + i, bias + i, true, stretch.scale_most, stretch.bias_most,
                               stretch.has_singles ? numbers.singles.get() + i : nullptr});
            }
            return;
        }
        const Offsets at = offsets_at(kept_, line);
        Walk walk(within_, 0);
        for (std::size_t first = 0; first < n; first += static_cast<std::size_t>(run_), walk.next()) {
            double scale, bias;
            widen(scale_, at.in + walk.in(), 1, &scale);
            widen(bias_, at.out + walk.out(), 1, &bias);
            const NormScale both{&scale, &bias, false, methods_.greatest(&scale, 1),
                                 methods_.greatest(&bias, 1)};
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

    static bool is_same(const Dim& d) { return d.in == 0 && d.out == 0; }
    struct Stretch {
        double scale_most, bias_most;
        bool has_singles;
    };
    // The scales of all elements of a line, then their biases; the scales as float32.
    struct Numbers {
        std::unique_ptr<double[]> values;
        std::unique_ptr<float[]> singles;
        std::vector<Stretch> stretches;
    };

    void widen(const View& from, std::int64_t offset, std::size_t count, double* to) const {
        methods_.widen[static_cast<std::size_t>(from.format)](from.data + offset, count, to);
    }

    // `count` numbers, each `run_` times.
    void spread(const View& from, std::int64_t offset, std::int64_t stride, std::size_t count,
                double* to) const {
        const std::size_t run = static_cast<std::size_t>(run_);
        if (stride == 0) {
            widen(from, offset, 1, to);
            std::fill_n(to, count * run, *to);
        } else if (run == 1 && stride == static_cast<std::int64_t>(size_of(from.format))) {
            widen(from, offset, count, to);
        } else {
            for (std::size_t i = 0; i < count; ++i, offset += stride, to += run) {
                widen(from, offset, 1, to);
                std::fill_n(to, run, *to);
            }
        }
    }

    // Those of all lines that differ, if they are few.
    void share() {
        Dims different;
        for (int i = 0; i < kept_.rank; ++i)
            if (!is_same(kept_.dim[i])) different.push(kept_.dim[i]);
        const std::int64_t count = different.count();
        if (count > 1 && count * within_.count() * run_ > most_shared_scales) return;
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
        const std::size_t n = static_cast<std::size_t>(within_.count() * run_);
        Numbers numbers{std::make_unique_for_overwrite<double[]>(2 * n),
                        takes_singles_ ? std::make_unique_for_overwrite<float[]>(n) : nullptr,
                        {}};
        double *const scale = numbers.values.get(), *const bias = scale + n;
        Dims outer = within_;
        const Dim inner = outer.dim[--outer.rank];
        const std::size_t count = static_cast<std::size_t>(inner.size);
        Walk walk(outer, 0);
        for (std::size_t i = 0; i < n; i += count * static_cast<std::size_t>(run_), walk.next()) {
            spread(scale_, at.in + walk.in(), inner.in, count, scale + i);
            spread(bias_, at.out + walk.out(), inner.out, count, bias + i);
        }
        for (std::size_t i = 0; i < n; i += norm_elements) {
            const std::size_t now = std::min(norm_elements, n - i);
            numbers.stretches.push_back(
                {methods_.greatest(scale + i, now), methods_.greatest(bias + i, now),
                 takes_singles_ && methods_.narrow(scale + i, now, numbers.singles.get() + i)});
        }
        return numbers;
    }

    const NormMethods& methods_;
    const View scale_, bias_;
    Dims kept_, within_, places_;
    std::int64_t run_ = 1;
    bool takes_singles_ = false;
    bool by_element_ = false;
    std::vector<Numbers> shared_;
};

}  // namespace samesum
