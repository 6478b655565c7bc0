#include "onnxruntime/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "methods/scan_method.hpp"
#include "run/normalize/normalize.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan.hpp"
#include "threads/pool.hpp"

namespace samesum::onnxruntime {

namespace {

void run_parallel(void* state, std::size_t n, void (*work)(void*, std::size_t), void* object) {
    const auto& [api, context] =
        *static_cast<const std::pair<const OrtApi&, const OrtKernelContext*>*>(state);
    check(parallel_for(api, context, work, n, 0, object));
}

}  // namespace

Kernel::Kernel(const Version& version, ElementType type, ElementType second_type, const OrtApi& api,
               const OrtKernelInfo* info)
    : version_(version),
      api_(api),
      format_(format_of(type)),
      result_(format_of(version.result_type(type, second_type))),
      second_type_(second_type) {
    const FloatingPointScope scope;  // subnormal attributes stay what they are
    Given all;
    for (const Attribute& each : version.attributes) {
        if (version.kind != Kind::evaluated)
            read(each, info);
        else if (auto value = given(each, info))
            all.emplace_back(each.name, *std::move(value));
    }
    if (version.kind == Kind::evaluated) evaluated_ = evaluated(version, all);
    refuse_other_attributes(info);
    check_numbers();
    check(input_count(api, info, &inputs_));
    check(output_count(api, info, &outputs_));
    if (outputs_ > 1 && settings_.stash_type != inner_type)
        refuse("stash_type is " + std::to_string(settings_.stash_type) +
               "; allowed for the outputs after the first one is 1, float32, as in ONNX Runtime");
    if (version.axes && inputs_ > 1) read_constant_axes(info);
}

void Kernel::refuse(const std::string& what) const { throw Refusal(version_.title() + ": " + what); }

void Kernel::read_constant_axes(const OrtKernelInfo* info) {
    int is_constant = 0;
    const OrtValue* value = nullptr;
    check(constant_input(api_, info, 1, &is_constant, &value));
    if (is_constant != 0 && value != nullptr)
        settings_.axes = axes_in(value);
    else
        axes_are_input_ = true;
}

Tensor Kernel::input(OrtKernelContext* context, std::size_t place) const {
    const OrtValue* value = nullptr;
    check(input_of(api_, context, place, &value));
    return {api_, value};
}

std::vector<std::int64_t> Kernel::numbers_in(const Tensor& tensor) const {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(tensor.count));
    if (format_of(second_type_) == Format::i32)
        std::copy_n(static_cast<const std::int32_t*>(tensor.data), numbers.size(), numbers.begin());
    else
        std::copy_n(static_cast<const std::int64_t*>(tensor.data), numbers.size(), numbers.begin());
    return numbers;
}

std::vector<std::int64_t> Kernel::axes_in(const OrtValue* value) const {
    const Tensor tensor(api_, value);
    const AxesInput& input = *version_.axes;
    if (tensor.rank < input.min_rank || tensor.rank > input.max_rank) {
        const std::string low = std::to_string(input.min_rank), high = std::to_string(input.max_rank);
        refuse("the input that names axes has rank " + std::to_string(tensor.rank) + " (shape " +
               text_of(tensor) + "); allowed is " + (low == high ? low : low + " to " + high));
    }
    return numbers_in(tensor);
}

std::vector<std::int64_t> Kernel::axes_now(const OrtKernelContext* context) const {
    const OrtValue* value = nullptr;
    check(input_of(api_, context, 1, &value));
    return value == nullptr ? std::vector<std::int64_t>() : axes_in(value);
}

void Kernel::compute(OrtKernelContext* context) const {
    const Tensor x = input(context, 0);
    if (x.rank < version_.min_rank)
        refuse("the data have rank " + std::to_string(x.rank) + " (shape " + text_of(x) +
               "); allowed is at least " + std::to_string(version_.min_rank));
    // Its own threads, so that those of the session's options are the only ones that work.
    const std::pair<const OrtApi&, const OrtKernelContext*> owner{api_, context};
    const Lender lender{const_cast<void*>(static_cast<const void*>(&owner)), run_parallel};
    const LentThreads scope(lender);
    switch (version_.kind) {
        case Kind::reduction:
            return reduce(x, context);
        case Kind::scan:
            return scan(x, context);
        case Kind::softmax:
        case Kind::log_softmax:
        case Kind::hardmax:
            return normalize(x, context);
        case Kind::global_pool:
            return pool(x, context);
        case Kind::scatter_elements:
        case Kind::scatter_slices:
            return scatter(x, context);
        case Kind::evaluated:
            return evaluate(context);
        default:
            return normalize_lines(x, context);
    }
}

// Null for one that the node leaves out.
void* Kernel::output(OrtKernelContext* context, const std::int64_t* shape, std::size_t rank,
                     std::size_t place) const {
    if (place >= outputs_) return nullptr;
    OrtValue* value = nullptr;
    check(output_of(api_, context, place, shape, rank, &value));
    if (value == nullptr) return nullptr;
    void* data = nullptr;
    check(tensor_data(api_, value, &data));
    return data;
}

View Kernel::view_of(const Tensor& x, std::int64_t (&strides)[max_rank]) const {
    std::int64_t step = static_cast<std::int64_t>(size_of(format_));
    for (std::size_t i = x.rank; i-- > 0; step *= x.shape[i]) strides[i] = step;
    return {static_cast<const char*>(x.data), static_cast<int>(x.rank), x.shape, strides, format_, false};
}

std::size_t Kernel::checked_axis(std::int64_t axis, std::size_t size) const {
    const auto rank = static_cast<std::int64_t>(size);
    if (axis < -rank || axis >= rank) {
        const std::string allowed =
            rank == 0 ? "it has none"
                      : "allowed are " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
        refuse("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank) + "; " +
               allowed);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void Kernel::mark(const std::vector<std::int64_t>& axes, std::size_t rank, bool (&reduced)[max_rank]) const {
    for (const std::int64_t axis : axes) {
        const std::size_t i = checked_axis(axis, rank);
        if (reduced[i])
            refuse("axes " + text_of(axes.data(), axes.size()) + " name axis " + std::to_string(i) +
                   " of rank " + std::to_string(rank) + " twice; each may be named once");
        reduced[i] = true;
    }
}

void Kernel::check_empty(const Tensor& x) const {
    const auto combine = static_cast<Combine>(version_.code >> 4 & 15);
    if (is_position(combine)) {
        const bool least = combine == Combine::minimum_position;
        refuse(std::string("no position of a ") + (least ? "minimum" : "maximum") +
               " of an empty set: the shape is " + text_of(x));
    }
    if (static_cast<Finalize>(version_.code >> 8) == Finalize::over_count && !is_float(format_))
        refuse("an empty set of integers has no mean: the shape is " + text_of(x));
}

void Kernel::reduce(const Tensor& x, OrtKernelContext* context) const {
    bool reduced[max_rank] = {};
    if (has_one_axis_)
        reduced[checked_axis(settings_.axis, x.rank)] = true;
    else if (const auto axes = axes_are_input_ ? axes_now(context) : settings_.axes; !axes.empty())
        mark(axes, x.rank, reduced);
    else if (!settings_.noop_with_empty_axes)
        std::fill_n(reduced, x.rank, true);
    put_reduced(x, reduced, settings_.keepdims, version_.code, context);
}

// The 1-norm or the 2-norm where the node says which.
void Kernel::pool(const Tensor& x, OrtKernelContext* context) const {
    bool reduced[max_rank] = {};
    for (std::size_t i = 2; i < x.rank; ++i) reduced[i] = true;
    const bool is_first = version_.code >> 16 != 0 && settings_.p == 1;
    put_reduced(x, reduced, true, is_first ? version_.code >> 16 : version_.code & 0xffff, context);
}

void Kernel::put_reduced(const Tensor& x, const bool* reduced, bool keepdims, unsigned code,
                         OrtKernelContext* context) const {
    std::int64_t shape[max_rank], outputs = 1, elements = 1;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < x.rank; ++i) {
        (reduced[i] ? elements : outputs) *= x.shape[i];
        if (!reduced[i])
            shape[rank++] = x.shape[i];
        else if (keepdims)
            shape[rank++] = 1;
    }
    const bool are_empty = outputs > 0 && elements == 0;
    if (are_empty) check_empty(x);
    void* const out = output(context, shape, rank);
    const Reduction row{static_cast<Map>(code & 15), static_cast<Combine>(code >> 4 & 15),
                        static_cast<Finalize>(code >> 8), settings_.select_last};
    std::int64_t strides[max_rank];
    if (are_empty)
        fill_empty(row, result_, out, outputs);
    else if (outputs > 0)
        samesum::reduce(view_of(x, strides), reduced, row, result_, out);
}

void Kernel::scan(const Tensor& x, OrtKernelContext* context) const {
    const auto axes = axes_are_input_ ? axes_now(context) : settings_.axes;
    if (axes.size() != 1)
        refuse("axis has " + std::to_string(axes.size()) + " elements; exactly one is allowed");
    const int axis = static_cast<int>(checked_axis(axes[0], x.rank));
    void* const out = output(context, x.shape, x.rank);
    const ScanOptions options{settings_.exclusive, settings_.reverse, false};
    std::int64_t strides[max_rank];
    if (x.count > 0)
        samesum::scan(static_cast<Combine>(version_.code), view_of(x, strides), axis, options, result_, out);
}

void Kernel::normalize(const Tensor& x, OrtKernelContext* context) const {
    const std::size_t axis = checked_axis(settings_.axis, x.rank);
    void* const out = output(context, x.shape, x.rank);
    if (x.count == 0) return;
    // Before, along and after the axis; the rows of a matrix have nothing after them.
    Tensor lines = x;
    lines.rank = 3;
    std::fill_n(lines.shape, 3, 1);
    for (std::size_t i = 0; i < x.rank; ++i) {
        const bool is_along = i == axis || (version_.as_matrix && i > axis);
        lines.shape[i < axis ? 0 : is_along ? 1 : 2] *= x.shape[i];
    }
    std::int64_t strides[max_rank];
    const View view = view_of(lines, strides);
    if (version_.kind == Kind::hardmax) return put_hardmax(view, out);
    samesum::normalize(
        view, 1, version_.kind == Kind::softmax ? Normalization::softmax : Normalization::log_softmax, out);
}

// One at the first maximum of each line (NaN, if there is one), zero elsewhere.
void Kernel::put_hardmax(const View& lines, void* out) const {
    const std::int64_t inner = lines.shape[2], length = lines.shape[1];
    std::vector<std::int64_t> first(static_cast<std::size_t>(lines.shape[0] * inner));
    constexpr bool reduced[] = {false, true, false};
    constexpr Reduction position{Map::itself, Combine::maximum_position, Finalize::itself, false};
    samesum::reduce(lines, reduced, position, Format::i64, first.data());
    constexpr Reduction one{Map::itself, Combine::product, Finalize::itself, false};  // of the empty set
    const std::size_t size = size_of(format_);
    std::memset(out, 0, static_cast<std::size_t>(lines.shape[0] * length * inner) * size);
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto line = static_cast<std::int64_t>(i);
        const std::int64_t at = (line / inner * length + first[i]) * inner + line % inner;
        fill_empty(one, format_, static_cast<char*>(out) + static_cast<std::size_t>(at) * size, 1);
    }
}

}  // namespace samesum::onnxruntime
