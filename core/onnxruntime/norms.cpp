// Normalizations about a mean or by a norm: which elements make a line, and what they are scaled by.
#include <algorithm>

#include "onnxruntime/kernel.hpp"
#include "run/normalize/normalize.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum::onnxruntime {

namespace {

// MeanVarianceNormalization adds this float32 to the deviation:
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html.
constexpr double mean_variance_epsilon = 1e-9f;

// Of the mean and the inverse deviation: that of inner_type.
constexpr Format inner_format = Format::f32;

// Bits of the code: the divisor, what else the row says, and whether a group has one scale.
NormRow row_of(unsigned code, double epsilon) {
    return {static_cast<Divisor>(code & 3), (code & 4) != 0, (code & 8) != 0, false, epsilon, 0};
}

}  // namespace

// A batch, groups or channels, what is in a group, and all axes after the channels as one.
LineShape Kernel::channels_of(const Tensor& x) const {
    std::int64_t after = 1;
    for (std::size_t i = 2; i < x.rank; ++i) after *= x.shape[i];
    LineShape found;
    found.push(x.shape[0], false);
    if (version_.kind == Kind::instance_norm) {
        found.push(x.shape[1], false);
    } else {
        const std::int64_t groups = settings_.num_groups;
        if (groups < 1 || x.shape[1] % groups != 0)
            refuse("the " + std::to_string(x.shape[1]) + " channels of shape " + text_of(x) +
                   " do not make " + std::to_string(groups) + " equal groups");
        found.push(groups, false);
        found.push(x.shape[1] / groups, true);
    }
    found.push(after, true);
    return found;
}

LineShape Kernel::lines_of(const Tensor& x) const {
    if (version_.kind == Kind::group_norm || version_.kind == Kind::instance_norm) return channels_of(x);
    LineShape found;
    for (std::size_t i = 0; i < x.rank; ++i) found.push(x.shape[i], false);
    if (version_.kind == Kind::mean_variance_norm) {
        mark(settings_.axes, x.rank, found.lines);
        return found;
    }
    const std::size_t axis = checked_axis(settings_.axis, x.rank);
    const std::size_t end = version_.kind == Kind::lp_norm ? axis + 1 : x.rank;
    std::fill(found.lines + axis, found.lines + end, true);
    return found;
}

Format Kernel::parameter_format(std::size_t i) const {
    return i == 0 && version_.has_typed_scale() ? format_of(second_type_) : format_;
}

// Where the parameter lies for each element; a scale of channels has one number each.
void Kernel::place(std::size_t i, const Tensor& parameter, const Tensor& x, LineShape& to) const {
    std::int64_t* const strides = to.strides[i];
    const auto item = static_cast<std::int64_t>(size_of(parameter_format(i)));
    const std::string& name = version_.parameters[i].name;
    if (version_.kind != Kind::layer_norm) {
        const bool by_group = version_.kind == Kind::group_norm && (version_.code & 16) != 0;
        const std::int64_t needed = by_group ? settings_.num_groups : x.shape[1];
        if (parameter.rank != 1 || parameter.shape[0] != needed)
            refuse(name + " has shape " + text_of(parameter) + "; allowed is (" + std::to_string(needed) +
                   ",)");
        strides[1] = version_.kind == Kind::group_norm && !by_group ? item * to.shape[2] : item;
        if (version_.kind == Kind::group_norm && !by_group) strides[2] = item;
        return;
    }
    bool fits = parameter.rank <= x.rank;
    std::int64_t step = item;
    for (std::size_t k = 1; fits && k <= parameter.rank; ++k) {
        const std::int64_t size = parameter.shape[parameter.rank - k];
        fits = size == 1 || size == x.shape[x.rank - k];
        strides[x.rank - k] = size == 1 ? 0 : step;
        step *= size;
    }
    if (!fits)
        refuse(name + ": shape " + text_of(parameter) + " does not broadcast to that of the data, " +
               text_of(x));
}

// The mean of each line, and where the inverse of its deviation goes.
void Kernel::put_inner(const Tensor& x, const LineShape& shape, const View& lines, OrtKernelContext* context,
                       void** inverse) const {
    std::int64_t sizes[max_rank], outputs = 1;
    for (std::size_t i = 0; i < x.rank; ++i) {
        sizes[i] = shape.lines[i] ? 1 : x.shape[i];
        outputs *= sizes[i];
    }
    constexpr samesum::Reduction mean{Map::itself, Combine::sum, Finalize::over_count, false};
    for (std::size_t i = 0; i < version_.inner_outputs.size(); ++i) {
        void* const out = output(context, sizes, x.rank, i + 1);
        if (out == nullptr) continue;
        const bool is_mean = version_.inner_outputs[i] == InnerOutput::mean;
        if (x.count == 0)
            fill_empty(mean, inner_format, out, outputs);
        else if (is_mean)
            samesum::reduce(lines, shape.lines, mean, inner_format, out);
        else
            *inverse = out;
    }
}

void Kernel::normalize_lines(const Tensor& x, OrtKernelContext* context) const {
    LineShape shape = lines_of(x);
    View views[2];
    const View* given[2] = {};
    Tensor data = x;
    data.rank = shape.rank;
    std::copy_n(shape.shape, shape.rank, data.shape);
    for (std::size_t i = 0; i < version_.parameters.size() && i + 1 < inputs_; ++i) {
        const OrtValue* value = nullptr;
        check(input_of(api_, context, i + 1, &value));
        if (value == nullptr) continue;
        const Tensor parameter(api_, value);
        place(i, parameter, x, shape);
        views[i] = {static_cast<const char*>(parameter.data),
                    static_cast<int>(shape.rank),
                    shape.shape,
                    shape.strides[i],
                    parameter_format(i),
                    false};
        given[i] = &views[i];
    }
    void* const out = output(context, x.shape, x.rank);
    std::int64_t strides[max_rank];
    const View view = view_of(data, strides);
    void* inverse = nullptr;
    if (!version_.inner_outputs.empty()) put_inner(x, shape, view, context, &inverse);
    NormRow row = row_of(version_.code, settings_.epsilon);
    if (version_.kind == Kind::lp_norm)
        row.divisor = settings_.p == 1 ? Divisor::magnitudes : Divisor::squares;
    if (version_.kind == Kind::mean_variance_norm) row.outside = mean_variance_epsilon;
    if (x.count > 0)
        samesum::normalize_lines(
            {view, shape.lines, row, given[0], given[1], result_, out, inverse, inner_format});
}

}  // namespace samesum::onnxruntime
