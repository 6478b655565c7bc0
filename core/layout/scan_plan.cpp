#include "layout/scan_plan.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/copy.hpp"
#include "select/layout_thresholds.hpp"

namespace samesum {

const char* ScanPlan::elements_at(const char* p, std::int64_t stride, std::size_t n, char* buffer,
                                  std::int64_t ahead) const {
    if (lies(stride)) return p;
    gather(p, stride, n, size_of(in), swapped, buffer, ahead);
    return buffer;
}

ScanPlan plan_scan(const View& x, int axis, const ScanOptions& o, Format format, void* out) {
    ScanPlan plan{};
    plan.data = x.data;
    plan.out = static_cast<char*>(out);
    plan.in = x.format;
    plan.format = format;
    plan.swapped = x.swapped;
    plan.item_bytes = static_cast<std::int64_t>(size_of(x.format));
    plan.result_bytes = static_cast<std::int64_t>(size_of(format));
    plan.has_initial = o.exclusive || o.include_initial;
    std::int64_t stride = static_cast<std::int64_t>(size_of(format));
    for (int i = x.rank - 1; i >= 0; --i) {
        const Dim d{x.shape[i], x.strides[i], stride};
        stride *= d.size + (i == axis && o.include_initial ? 1 : 0);
        if (i == axis)
            plan.axis = d;
        else if (d.size != 1)
            plan.lines.push(d);
    }
    std::reverse(plan.lines.dim, plan.lines.dim + plan.lines.rank);
    if (o.reverse) {
        plan.data += plan.axis.in * (plan.axis.size - 1);
        plan.out += plan.axis.out * (plan.axis.size - 1 + (o.include_initial ? 1 : 0));
        plan.axis.in = -plan.axis.in;
        plan.axis.out = -plan.axis.out;
    }
    plan.written = plan.axis.size - (o.exclusive ? 1 : 0);
    if (plan.has_initial) plan.out += plan.axis.out;
    merge_neighbours(plan.lines);
    const std::int64_t item = plan.item();
    // The elements that are nearest to each other are taken together, along the axis or across it.
    const auto distance = [item](const Dim& d) {
        return d.in == item ? 0 : d.in == 0 ? INT64_MAX : std::abs(d.in);
    };
    const auto nearer = [&](const Dim& a, const Dim& b) { return distance(a) < distance(b); };
    Dim* const end = plan.lines.dim + plan.lines.rank;
    if (plan.lines.rank > 0) std::iter_swap(std::min_element(plan.lines.dim, end, nearer), end - 1);
    plan.inner = plan.lines.rank > 0 ? end[-1] : Dim{1, 0, 0};
    const bool along = plan.axis.size > 1 && distance(plan.axis) <= distance(plan.inner);
    plan.columns = plan.inner.size >= least_scan_columns && !along;
    plan.count = plan.lines.count() * plan.axis.size;
    if (plan.columns) --plan.lines.rank;
    return plan;
}

}  // namespace samesum
