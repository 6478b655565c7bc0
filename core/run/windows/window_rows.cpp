#include "run/windows/window_rows.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "methods/short_method.hpp"

namespace samesum {

namespace {

constexpr std::int64_t most_elements = static_cast<std::int64_t>(short_elements), most_step = 4;

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

}  // namespace

WindowRows::WindowRows(const Reduction& row, const View& x, const Dim& run, const Dims& window,
                       std::int64_t divisor)
    : divisor_(static_cast<std::size_t>(divisor)), size_(size_of(x.format)), in_(run.in) {
    const auto item = static_cast<std::int64_t>(size_);
    const std::int64_t count = window.count();
    const bool is_few = count <= most_elements && divisor <= most_elements && divisor >= count;
    if (!is_few || x.swapped || run.out != 1 || run.in < item || run.in % item != 0) return;
    step_ = run.in / item;
    const bool is_next = window.rank == 0 || window.dim[window.rank - 1].in % item == 0;
    if (step_ > most_step ||
        (step_ > 1 && (!is_next || (window.rank > 0 && window.dim[window.rank - 1].in < 0))))
        return;
    method_ = method_of(row, x.format);
    if (step_ > 1) {
        copy_rows(window);
        return;
    }
    Walk elements(window, 0);
    for (std::int64_t k = 0; k < count; ++k, elements.next()) rows_.push_back({elements.in(), 0});
}

void WindowRows::copy_rows(const Dims& window) {
    Dims others = window;
    const Dim last = others.rank > 0 ? others.dim[--others.rank] : Dim{1, 0, 0};
    const auto item = static_cast<std::int64_t>(size_);
    const std::int64_t apart = last.in / item;
    Walk outer(others, 0);
    std::int64_t longest = 0;
    for (std::int64_t o = 0; o < others.count(); ++o, outer.next()) {
        std::size_t copy_of[most_step];
        std::int64_t first[most_step];
        std::fill_n(copy_of, most_step, SIZE_MAX);
        for (std::int64_t k = 0; k < last.size; ++k) {
            const std::int64_t residue = k * apart % step_, quotient = k * apart / step_;
            std::size_t& copy = copy_of[residue];
            if (copy == SIZE_MAX) {
                copy = copies_.size();
                first[residue] = quotient;
                copies_.push_back({outer.in() + residue * item + quotient * in_, 0});
            }
            copies_[copy].more = quotient - first[residue];
            longest = std::max(longest, copies_[copy].more);
            rows_.push_back({copies_[copy].more * item, copy});
        }
    }
    pitch_ = static_cast<std::size_t>(most() + longest) * size_;
    if (longest > most()) method_ = nullptr;
}

bool WindowRows::reduce(const char* p, std::int64_t n, char* room, char* out) const {
    const char* rows[short_elements];
    const auto item = static_cast<std::int64_t>(size_);
    for (std::size_t c = 0; c < copies_.size(); ++c)
        copy_elements(p + copies_[c].offset, in_, room + c * pitch_, item,
                      static_cast<std::size_t>(n + copies_[c].more), size_, false);
    for (std::size_t k = 0; k < rows_.size(); ++k)
        rows[k] = (step_ == 1 ? p : room + rows_[k].copy * pitch_) + rows_[k].offset;
    return method_(rows, rows_.size(), divisor_, static_cast<std::size_t>(n), out);
}

}  // namespace samesum
