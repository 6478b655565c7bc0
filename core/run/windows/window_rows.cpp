#include "run/windows/window_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

namespace {

constexpr std::int64_t most_elements = static_cast<std::int64_t>(short_elements), most_step = 4,
                       most_more = 64;

WindowSets method_of(const Reduction& row, Format format) {
    const WindowMethods& methods = *current_instruction_set().windows;
    const auto index = static_cast<std::size_t>(format);
    if (row.combine == Combine::sum && row.map != Map::exponential && index < 3)
        return methods.sum[index][static_cast<std::size_t>(row.map)][by(row.finalize)];
    if (row.combine == Combine::minimum || row.combine == Combine::maximum)
        return index < std::size(methods.extreme) ? methods.extreme[index][row.combine == Combine::maximum]
                                                  : nullptr;
    return nullptr;
}

bool is_aligned(const View& x) {
    const auto size = static_cast<std::int64_t>(size_of(x.format));
    return reinterpret_cast<std::uintptr_t>(x.data) % size_of(x.format) == 0 &&
           std::all_of(x.strides, x.strides + x.rank,
                       [=](std::int64_t stride) { return stride % size == 0; });
}

}  // namespace

WindowRows::WindowRows(const Reduction& row, const View& x, const Dim& run, const Dims& window,
                       std::int64_t divisor)
    : divisor_(static_cast<std::size_t>(divisor)),
      size_(size_of(x.format)),
      in_(run.in),
      is_aligned_(is_aligned(x)) {
    const std::int64_t count = window.count();
    const bool is_few = count <= most_elements && divisor <= most_elements && divisor >= count;
    if (!is_few || x.swapped || run.in < static_cast<std::int64_t>(size_)) return;
    method_ = method_of(row, x.format);
    if (method_ != nullptr) lay_out(window, along(window, run.size));
}

// The last dimension of which few residues and few elements beyond the run are needed.
WindowRows::Along WindowRows::along(const Dims& window, std::int64_t outputs) const {
    for (int i = window.rank; i-- > 0;) {
        const Dim& d = window.dim[i];
        if (d.in <= 0) continue;
        const std::int64_t unit = std::gcd(in_, d.in), more = (d.size - 1) * d.in / in_;
        const bool has_whole_elements = !is_direct() || unit == in_;
        if (has_whole_elements && in_ / unit <= most_step && more <= (is_direct() ? outputs : most_more))
            return {d.size, d.in / unit, unit, i};
    }
    return {1, 0, in_, -1};
}

void WindowRows::lay_out(const Dims& window, const Along& by) {
    Dims others;
    for (int i = 0; i < window.rank; ++i)
        if (i != by.dim) others.push(window.dim[i]);
    step_ = in_ / by.unit;
    if (is_aligned_ && step_ > 1 && by.unit == static_cast<std::int64_t>(size_))
        to_columns_ = current_instruction_set().transposes->known[std::countr_zero(size_)][step_];
    const std::int64_t last = (by.count - 1) * by.apart;
    more_ = last / step_;
    Walk outer(others, 0);
    for (std::int64_t o = 0; o < others.count(); ++o, outer.next()) {
        const auto first = static_cast<std::int64_t>(spans_.size());
        for (std::int64_t r = 0; r < step_; ++r)
            spans_.push_back({outer.in() + r * by.unit, last / step_ - (r > last % step_)});
        for (std::int64_t k = 0; k < by.count; ++k)
            rows_.push_back({k * by.apart / step_ * static_cast<std::int64_t>(size_),
                             static_cast<std::size_t>(first + k * by.apart % step_)});
    }
}

std::int64_t WindowRows::pitch_of(std::int64_t n, std::int64_t stride) const {
    if (!is_direct()) return n + more_;
    const std::int64_t pitch = stride / in_;
    return stride % in_ == 0 && pitch >= n && pitch - n <= n / results_for_a_wasted_one ? pitch : 0;
}

std::int64_t WindowRows::together(std::int64_t n, std::int64_t stride) const {
    const std::int64_t pitch = pitch_of(n, stride);
    return pitch == 0 || n > most() ? 1 : (most() - n) / pitch + 1;
}

// Zeros stand between the runs.
void WindowRows::copy(const char* p, std::int64_t n, char* room) const {
    const auto item = static_cast<std::int64_t>(size_), next = static_cast<std::int64_t>(pitch());
    for (std::size_t s = 0; s < spans_.size(); s += static_cast<std::size_t>(step_)) {
        // The last ones of all residues together need not be elements of the array.
        const std::int64_t together = to_columns_ == nullptr ? 0 : n + spans_[s].more - 1;
        if (together > 0) to_columns_(p + spans_[s].offset, static_cast<std::size_t>(together), room);
        for (std::int64_t r = 0; r < step_; ++r, room += next) {
            const Span& span = spans_[s + static_cast<std::size_t>(r)];
            const std::int64_t left = n + span.more - together;
            if (left > 0)
                copy_elements(p + span.offset + together * in_, in_, room + together * item, item,
                              static_cast<std::size_t>(left), size_, false);
            std::memset(room + (n + span.more) * item, 0,
                        static_cast<std::size_t>((more_ - span.more) * item));
        }
    }
}

bool WindowRows::reduce(const char* p, std::int64_t n, const Runs& runs, char* room, char* out) const {
    const char* rows[short_elements];
    const std::int64_t step = pitch_of(n, runs.stride);
    for (std::int64_t i = 0; i < runs.count && !is_direct(); ++i)
        copy(p + i * runs.stride, n, room + i * step * static_cast<std::int64_t>(size_));
    n += (runs.count - 1) * step;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const std::size_t s = rows_[k].span;
        rows[k] = (is_direct() ? p + spans_[s].offset : room + s * pitch()) + rows_[k].offset;
    }
    return method_(rows, rows_.size(), divisor_, static_cast<std::size_t>(n), out);
}

}  // namespace samesum
