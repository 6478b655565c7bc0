#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "run/windows/windows.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

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

namespace {

// Short sets are divided by their count: rows of zeros make it the divisor.
std::int64_t rows_of(const Reduction& row, std::int64_t count, std::int64_t divisor) {
    const bool is_short = divisor <= static_cast<std::int64_t>(short_elements);
    return row.finalize == Finalize::over_count && is_short ? std::max(count, divisor) : count;
}

}  // namespace

GatheredSets::GatheredSets(const Reduction& row, Format in, Format out, std::int64_t count,
                           std::int64_t divisor, std::int64_t least_together)
    : row_(row),
      in_(in),
      count_(count),
      rows_(rows_of(row, count, divisor)),
      size_(size_of(in)),
      tiers_(choose_tiers(row, in, out, rows_)),
      how_{row.finalize, out, row.finalize == Finalize::over_count ? divisor : count, row.correction} {
    const std::int64_t most = packed_bytes / (rows_ * static_cast<std::int64_t>(size_));
    together_ = std::max(least_together, most);
    if (how_.count != rows_) tiers_.at_once = nullptr;
}

void GatheredSets::reduce(char* elements, std::int64_t n, void* out) const {
    const std::size_t row_bytes = static_cast<std::size_t>(n) * size_;
    if (rows_ > count_)
        std::memset(elements + static_cast<std::size_t>(count_) * row_bytes, 0,
                    static_cast<std::size_t>(rows_ - count_) * row_bytes);
    const bool rows = are_rows();
    const std::int64_t shape[] = {rows ? rows_ : n, rows ? n : rows_};
    const std::int64_t item = static_cast<std::int64_t>(size_), strides[] = {shape[1] * item, item};
    const bool reduced[] = {rows, !rows};
    LayoutHints hints;
    hints.ordered = is_position(row_.combine);
    const Target target{tiers_, how_, static_cast<char*>(out)};
    run_job(plan_reduction({elements, 2, shape, strides, in_, false}, reduced, hints), &target, 1);
}

namespace {

Packing packing_of(const View& x) {
    Dims dims;
    for (int i = 0; i < x.rank; ++i)
        if (x.shape[i] != 1) dims.push({x.shape[i], x.strides[i], 0});
    return {dims, size_of(x.format), x.swapped};
}

}  // namespace

void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out) {
    record(Route::terms);
    const View& first = terms[0];
    const auto count = static_cast<std::int64_t>(n);
    const GatheredSets sets(row, first.format, format, count, count, least_gathered_terms);
    std::vector<Packing> packings;
    for (std::size_t k = 0; k < n; ++k) packings.push_back(packing_of(terms[k]));
    std::int64_t places = 1;
    for (int i = 0; i < first.rank; ++i) places *= first.shape[i];
    const auto in_bytes = static_cast<std::int64_t>(size_of(first.format)),
               out_bytes = static_cast<std::int64_t>(size_of(format));
    const std::int64_t bytes = places * count * in_bytes;
    const auto take = [&](std::int64_t begin, std::int64_t now) {
        const Scratch room(sets.bytes()), some(static_cast<std::size_t>(now * in_bytes));
        for (std::size_t k = 0; k < n; ++k) {
            const std::int64_t at = static_cast<std::int64_t>(k);
            if (sets.are_rows()) {
                packings[k].copy(terms[k].data, begin, now, room.get() + at * now * in_bytes);
                continue;
            }
            packings[k].copy(terms[k].data, begin, now, some.get());
            copy_elements(some.get(), in_bytes, room.get() + at * in_bytes, count * in_bytes,
                          static_cast<std::size_t>(now), static_cast<std::size_t>(in_bytes), false);
        }
        sets.reduce(room.get(), now, static_cast<char*>(out) + begin * out_bytes);
    };
    const SharedWork work(bytes, threaded_bytes, brief_bytes);
    for_each_batch(places, sets.together(), work.threads, take);
}

}  // namespace samesum
