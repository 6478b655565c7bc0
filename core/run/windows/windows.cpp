#include "run/windows/windows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "layout/copy.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Outputs along one dimension whose windows have as many elements, begin at equal distances and weigh the
// same.
struct WindowRun {
    std::int64_t begin, size, first, step, count, weight;

    bool is_continued_by(std::int64_t at, std::int64_t elements, std::int64_t weighs) const {
        return elements == count && weighs == weight && (size == 1 || at == first + size * step);
    }
};

// A dimension of the array with its windows.
struct WindowDim {
    std::vector<WindowRun> runs;
    std::int64_t outputs, dilation, in, out, index;  // steps in bytes, in elements of `out` and in indices
    bool is_plain;

    // Whether this one and the next are one dimension of elements that are windows of their own.
    bool joins(const WindowDim& next) const {
        return is_plain && next.is_plain && in == next.in * next.outputs &&
               index == next.index * next.outputs;
    }
};

// Windows of one kind: a run along each dimension.
struct WindowKind {
    std::vector<WindowRun> runs;
    std::int64_t count = 1, divisor = 1, outputs = 1;
};

std::vector<WindowRun> runs_of(const WindowAxis& axis) {
    if (axis.first == nullptr) return {{0, axis.outputs, 0, 1, 1, 1}};
    std::vector<WindowRun> runs;
    for (std::int64_t i = 0; i < axis.outputs; ++i) {
        const std::int64_t first = axis.first[i], count = axis.count[i], weight = axis.weight[i];
        if (runs.empty() || !runs.back().is_continued_by(first, count, weight)) {
            runs.push_back({i, 1, first, 0, count, weight});
            continue;
        }
        WindowRun& run = runs.back();
        if (run.size == 1) run.step = first - run.first;
        ++run.size;
    }
    return runs;
}

std::vector<WindowDim> window_dims_of(const WindowCall& call) {
    std::vector<WindowDim> axes;
    std::int64_t out = 1;
    for (int i = call.x.rank; i-- > 0; out *= call.axes[i].outputs) {
        const WindowAxis& given = call.axes[i];
        const std::int64_t index = call.index_steps == nullptr ? 0 : call.index_steps[i];
        const WindowDim axis{runs_of(given), given.outputs,         given.dilation, call.x.strides[i], out,
                             index,          given.first == nullptr};
        if (axes.empty() || !axis.joins(axes.back())) {
            axes.push_back(axis);
            continue;
        }
        axes.back().outputs *= axis.outputs;
        axes.back().runs[0].size = axes.back().outputs;
    }
    if (axes.empty()) axes.push_back({{{0, 1, 0, 1, 1, 1}}, 1, 1, 0, 1, 0, true});
    std::reverse(axes.begin(), axes.end());
    return axes;
}

std::vector<WindowKind> window_kinds_of(const std::vector<WindowDim>& dims) {
    std::vector<WindowKind> kinds(1);
    for (const WindowDim& dim : dims) {
        std::vector<WindowKind> longer;
        for (const WindowKind& kind : kinds) {
            for (const WindowRun& run : dim.runs) {
                longer.push_back(kind);
                WindowKind& last = longer.back();
                last.runs.push_back(run);
                last.count *= run.count;
                last.divisor *= run.weight;
                last.outputs *= run.size;
            }
        }
        kinds = std::move(longer);
    }
    return kinds;
}

// Outputs of one kind: those of some of the first dimension.
class Part {
  public:
    Part(const WindowCall& call, const std::vector<WindowDim>& axes, const WindowKind& kind,
         std::int64_t begin, std::int64_t size)
        : call_(call), kind_(kind), data_(call.x.data) {
        for (std::size_t i = 0; i < axes.size(); ++i) add(axes[i], kind.runs[i], i == 0, begin, size);
        merge_neighbours(kept_);
        if (kept_.rank == 0) kept_.push({1, 0, 1});
    }

    std::int64_t outputs() const { return outputs_; }

    // Outputs [first, last) of them.
    void write(std::int64_t first, std::int64_t last) const {
        if (kind_.count == 0) return write_empty(first, last);
        const Dim& run = kept_.dim[kept_.rank - 1];
        const bool divides = call_.row.finalize == Finalize::over_count;
        const WindowRows rows(call_.row, call_.x, run, window_, divides ? kind_.divisor : kind_.count);
        const bool are_rows = rows.suits() && run.size >= least_window_run;
        record(are_rows ? Route::window_rows : Route::window_gathered);
        are_rows ? write_runs(rows, first, last) : write_gathered(first, last);
    }

  private:
    // Runs of one dimension together, as far as there are whole ones.
    void write_runs(const WindowRows& rows, std::int64_t first, std::int64_t last) const {
        Dims outer = kept_;
        const Dim run = outer.dim[--outer.rank];
        const Dim next = outer.rank > 0 ? outer.dim[outer.rank - 1] : Dim{1, 0, 0};
        const auto size = static_cast<std::int64_t>(size_of(call_.format));
        const Scratch room(rows.bytes() + 64), results(static_cast<std::size_t>(rows.most() * size));
        const std::int64_t most = rows.together(run.size, next.in);
        Walk walk(outer, first / run.size);
        for (std::int64_t at = first; at < last;) {
            const std::int64_t place = at % run.size, number = at / run.size % next.size,
                               left = std::min(last - at, run.size - place),
                               now = std::min(rows.most(), left);
            const WindowRows::Runs runs{
                place > 0 || now < run.size ? 1 : std::min({most, (last - at) / now, next.size - number}),
                next.in};
            char* const to = output(at);
            char* const made = run.out == 1 && runs.count == 1 ? to : results.get();
            if (!rows.reduce(data_ + walk.in() + place * run.in, now, runs, room.get(), made))
                write_gathered(at, at + now * runs.count);
            else
                for (std::int64_t i = 0; made != to && i < runs.count; ++i)
                    put(at + i * now, now, made + i * rows.pitch_of(now, next.in) * size);
            at += now * runs.count;
            for (std::int64_t i = 0; i < runs.count && at % run.size == 0; ++i) walk.next();
        }
    }

    void write_gathered(std::int64_t first, std::int64_t last) const {
        const std::int64_t out_bytes = static_cast<std::int64_t>(size_of(call_.format));
        const GatheredSets sets(call_.row, call_.x.format, call_.format, kind_.count, kind_.divisor);
        const bool in_place = kept_.rank == 1 && kept_.dim[0].out == 1;
        const Scratch elements(sets.bytes()),
            results(in_place ? 64 : static_cast<std::size_t>(sets.together() * out_bytes));
        const Packing packing(kept_, size_of(call_.x.format), call_.x.swapped);
        for (std::int64_t at = first; at < last; at += sets.together()) {
            const std::int64_t n = std::min(sets.together(), last - at);
            gather(sets, packing, at, n, elements.get());
            char* const to = in_place ? output(at) : results.get();
            sets.reduce(elements.get(), n, to);
            if (is_position(call_.row.combine)) index(at, n, to);
            if (!in_place) put(at, n, to);
        }
    }

    void add(const WindowDim& axis, const WindowRun& run, bool is_first, std::int64_t begin,
             std::int64_t size) {
        const std::int64_t from = is_first ? begin : 0, outputs = is_first ? size : run.size;
        const std::int64_t element = run.first + from * run.step;
        data_ += element * axis.in;
        out_ += (run.begin + from) * axis.out;
        index_ += element * axis.index;
        outputs_ *= outputs;
        if (outputs != 1) {
            kept_.push({outputs, run.step * axis.in, axis.out});
            places_.push({outputs, run.step * axis.index, 0});
        }
        if (run.count == 1) return;
        window_.push({run.count, axis.dilation * axis.in, 0});
        window_places_.push({run.count, axis.dilation * axis.index, 0});
    }

    char* output(std::int64_t at) const {
        return static_cast<char*>(call_.out) +
               (out_ + offsets_at(kept_, at).out) * static_cast<std::int64_t>(size_of(call_.format));
    }

    void gather(const GatheredSets& sets, const Packing& packing, std::int64_t first, std::int64_t n,
                char* to) const {
        const std::int64_t size = static_cast<std::int64_t>(size_of(call_.x.format));
        if (sets.are_rows()) {
            Walk elements(window_, 0);
            for (std::int64_t k = 0; k < kind_.count; ++k, elements.next(), to += n * size)
                packing.copy(data_ + elements.in(), first, n, to);
            return;
        }
        const Packing window(window_, size_of(call_.x.format), call_.x.swapped);
        Walk outputs(kept_, first);
        for (std::int64_t j = 0; j < n; ++j, outputs.next(), to += kind_.count * size)
            window.copy(data_ + outputs.in(), 0, kind_.count, to);
    }

    // Places within a window become indices.
    void index(std::int64_t first, std::int64_t n, char* results) const {
        auto* const place = reinterpret_cast<std::int64_t*>(results);
        Walk outputs(places_, first);
        for (std::int64_t j = 0; j < n; ++j, outputs.next())
            place[j] = index_ + outputs.in() + offsets_at(window_places_, place[j]).in;
    }

    // Runs of the last dimension to their places.
    void put(std::int64_t first, std::int64_t n, const char* results) const {
        const std::size_t size = size_of(call_.format);
        const Dim& last = kept_.dim[kept_.rank - 1];
        for (std::int64_t j = 0; j < n;) {
            const std::int64_t now = std::min(n - j, last.size - (first + j) % last.size);
            scatter(results + static_cast<std::size_t>(j) * size, static_cast<std::size_t>(now), size,
                    output(first + j), last.out * static_cast<std::int64_t>(size));
            j += now;
        }
    }

    // Windows of padding alone; their positions are -1.
    void write_empty(std::int64_t first, std::int64_t last) const {
        Reduction row = call_.row;
        if (row.finalize == Finalize::over_count && kind_.divisor > 0) row.finalize = Finalize::itself;
        for (std::int64_t at = first; at < last; ++at) {
            if (is_position(row.combine))
                *reinterpret_cast<std::int64_t*>(output(at)) = -1;
            else
                fill_empty(row, call_.format, output(at), 1);
        }
    }

    const WindowCall& call_;
    const WindowKind& kind_;
    const char* data_;
    std::int64_t out_ = 0, index_ = 0, outputs_ = 1;
    Dims kept_, window_, places_, window_places_;
};

// Outputs from number `first` on of one kind.
struct Task {
    std::size_t kind;
    std::int64_t first;
};

}  // namespace

void reduce_windows(const WindowCall& call) {
    const std::vector<WindowDim> axes = window_dims_of(call);
    const std::vector<WindowKind> kinds = window_kinds_of(axes);
    std::int64_t outputs = 1, elements = 0;
    for (const WindowDim& axis : axes) outputs *= axis.outputs;
    for (const WindowKind& kind : kinds) elements += kind.count * kind.outputs;
    const std::int64_t bytes = elements * static_cast<std::int64_t>(size_of(call.x.format));
    const SharedWork work(bytes, threaded_bytes, brief_bytes);
    const std::int64_t shares = 3 * work.threads;
    const WindowDim& outer = axes[0];
    std::int64_t block = outer.outputs;
    if (outer.is_plain) {
        std::int64_t own = static_cast<std::int64_t>(size_of(call.x.format));
        for (int i = 0; i < call.x.rank; ++i) own *= call.x.shape[i];
        own = std::max<std::int64_t>(1, own / outer.outputs);
        block = std::clamp<std::int64_t>(window_block_bytes / own, 1, (block + shares - 1) / shares);
    }
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const std::int64_t n = outer.is_plain ? kinds[k].outputs / outer.outputs * block : kinds[k].outputs;
        for (std::int64_t first = 0; first < n; first += window_task_outputs) tasks.push_back({k, first});
    }
    auto task = [&](std::size_t t, std::size_t) {
        const Task& own = tasks[t % tasks.size()];
        const WindowKind& kind = kinds[own.kind];
        const std::int64_t begin = static_cast<std::int64_t>(t / tasks.size()) * block;
        const std::int64_t size = outer.is_plain ? std::min(block, outer.outputs - begin) : kind.runs[0].size;
        const Part part(call, axes, kind, begin, size);
        const std::int64_t last = std::min(part.outputs(), own.first + window_task_outputs);
        if (own.first < last) part.write(own.first, last);
    };
    const std::size_t blocks =
        outer.is_plain ? static_cast<std::size_t>((outer.outputs + block - 1) / block) : 1;
    for_each_task(blocks * tasks.size(), work.threads, task);
}

}  // namespace samesum
