#include "run/windows/window_kinds.hpp"

#include <algorithm>
#include <utility>

namespace samesum {

namespace {

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

}  // namespace

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

}  // namespace samesum
