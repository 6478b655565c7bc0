#include "layout/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "layout/copy.hpp"
#include "layout/groups.hpp"
#include "select/layout_thresholds.hpp"
#include "select/reduction_thresholds.hpp"

namespace samesum {

namespace {

// Repeated elements (stride 0) go outermost, where they cost no vectors.
std::int64_t distance(const Dim& d, bool is_pair = false) {
    const std::int64_t far = std::abs(d.in) + (is_pair ? std::abs(d.mask) : 0);
    return far == 0 ? INT64_MAX : far;
}

// Dimensions that were collected from the last one on; equally distant ones come in their order again.
void sort(Dims& dims, bool is_pair) {
    for (int i = 1; i < dims.rank; ++i) {  // by insertion: there are few
        const Dim d = dims.dim[i];
        int at = i;
        for (; at > 0 && distance(dims.dim[at - 1], is_pair) <= distance(d, is_pair); --at)
            dims.dim[at] = dims.dim[at - 1];
        dims.dim[at] = d;
    }
}

void collect(const View& x, const bool* reduced, Plan& plan) {
    std::int64_t out_stride = 1;
    for (int i = x.rank - 1; i >= 0; --i) {
        Dim d{x.shape[i], x.strides[i], 0, x.mask_stride(i)};
        if (!reduced[i]) {
            d.out = out_stride;
            out_stride *= d.size;
        }
        if (d.size == 1) continue;
        const bool is_backwards = d.in < 0 || (plan.is_pair && d.in == 0 && d.mask < 0);
        if (is_backwards && !(plan.ordered && reduced[i])) {
            plan.data += d.in * (d.size - 1);
            plan.out += d.out * (d.size - 1);
            if (plan.mask != nullptr) plan.mask += d.mask * (d.size - 1);
            d = {d.size, -d.in, -d.out, -d.mask};
        }
        (reduced[i] ? plan.reduced : plan.kept).push(d);
    }
}

// Bytes that one operand of a pair has in memory.
std::int64_t bytes_of(const Plan& plan, std::int64_t Dim::* step) {
    std::int64_t n = static_cast<std::int64_t>(size_of(plan.format));
    for (const Dims* dims : {&plan.kept, &plan.reduced})
        for (int i = 0; i < dims->rank; ++i) n *= dims->dim[i].*step != 0 ? dims->dim[i].size : 1;
    return n;
}

void swap_operands(Plan& plan) {
    std::swap(plan.data, plan.mask);
    std::swap(plan.swapped, plan.other_swapped);
    for (Dims* dims : {&plan.kept, &plan.reduced})
        for (int i = 0; i < dims->rank; ++i) std::swap(dims->dim[i].in, dims->dim[i].mask);
}

// Pairs of vectors are taken by themselves or with their neighbours, element by element: as less is copied.
bool pairs_fit_lanes(Plan& plan) {
    if (plan.kept.rank == 0) return true;
    const Dim& side = plan.kept.dim[plan.kept.rank - 1];
    if (side.in == 0 && side.mask != 0) swap_operands(plan);
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format));
    const Dim run = plan.reduced.rank > 0 ? plan.reduced.dim[plan.reduced.rank - 1] : Dim{1, size, 0, size};
    const std::int64_t of_one = bytes_of(plan, &Dim::in), of_other = bytes_of(plan, &Dim::mask),
                       as_lanes = (plan.swapped || run.in != size ? of_one : 0) +
                                  (plan.other_swapped || run.mask != size ? of_other : 0),
                       as_columns =
                           (plan.swapped || side.in != size ? of_one : 0) +
                           (plan.other_swapped || (side.mask != size && side.mask != 0) ? of_other : 0);
    return as_columns > as_lanes || (as_columns == as_lanes && plan.reduced_count >= dot_least_lane);
}

bool lanes_fit(Plan& plan, const LayoutHints& hints) {
    if (plan.is_pair) return pairs_fit_lanes(plan);
    if (plan.kept.rank == 0) return true;
    if (plan.reduced.rank == 0) return false;
    const Dim& run = plan.reduced.dim[plan.reduced.rank - 1];
    const Dim& side = plan.kept.dim[plan.kept.rank - 1];
    if (distance(run) >= distance(side)) return false;
    if (plan.reduced.rank > 1 && plan.reduced_count >= long_set_elements) return true;
    const bool side_by_side = plan.reduced.rank == 1 && !plan.swapped && side.in == run.size * run.in &&
                              run.in == static_cast<std::int64_t>(size_of(plan.format));
    return run.size >= (side_by_side ? hints.least_lane_side_by_side : hints.least_lane) ||
           side.size < least_side_columns;
}

std::int64_t folding(const Plan& plan, std::int64_t size) {
    if (plan.ordered || plan.shape != Shape::columns || plan.reduced.rank == 0) return 1;
    const Dim& row = plan.reduced.dim[plan.reduced.rank - 1];
    const std::int64_t bytes = plan.inner.size * size;
    const bool are_both =
                   !plan.is_pair || (!plan.other_swapped && row.mask == bytes && plan.inner.mask == size),
               side_by_side = plan.contiguous && row.in == bytes && are_both;
    if (plan.inner.size > plan_folded_columns / folding_share ||
        (!side_by_side && (plan.is_pair || bytes > short_row_bytes)))
        return 1;
    const std::int64_t merged = rows_per_merge * plan.inner.size;
    const std::int64_t most = std::min(row.size / folding_share, plan.reduced_count / merged);
    return std::clamp<std::int64_t>(most, 1, plan_folded_columns / plan.inner.size);
}

bool is_transposed(const Plan& plan, std::int64_t size) {
    if (plan.shape != Shape::columns || plan.swapped || plan.reduced.rank != 1 || plan.is_pair) return false;
    const Dim& set = plan.reduced.dim[0];
    return set.in == size && plan.inner.in == set.size * size;
}

}  // namespace

void merge_neighbours(Dims& dims) {
    int kept = 0;
    for (int i = 1; i < dims.rank; ++i) {
        Dim& outer = dims.dim[kept];
        const Dim& inner = dims.dim[i];
        if (outer.in == inner.in * inner.size && outer.out == inner.out * inner.size &&
            outer.mask == inner.mask * inner.size) {
            outer = {outer.size * inner.size, inner.in, inner.out, inner.mask};
        } else {
            dims.dim[++kept] = inner;
        }
    }
    if (dims.rank > 0) dims.rank = kept + 1;
}

Plan plan_reduction(const View& x, const bool* reduced, const LayoutHints& hints) {
    Plan plan;  // not zeroed: the dimensions are many
    plan.out = 0;
    const bool ordered = hints.ordered;
    plan.data = x.data;
    plan.format = x.format;
    plan.swapped = x.swapped;
    plan.ordered = ordered;
    plan.mask = x.mask;
    plan.skip = x.skip;
    plan.is_pair = x.is_pair;
    plan.other_swapped = x.other_swapped;
    collect(x, reduced, plan);
    sort(plan.kept, x.is_pair);
    if (ordered)
        std::reverse(plan.reduced.dim, plan.reduced.dim + plan.reduced.rank);
    else
        sort(plan.reduced, x.is_pair);
    merge_neighbours(plan.kept);
    merge_neighbours(plan.reduced);
    plan.kept_count = plan.kept.count();
    plan.reduced_count = plan.reduced.count();
    plan.shape = lanes_fit(plan, hints) ? Shape::lanes : Shape::columns;
    Dims& from = plan.shape == Shape::lanes ? plan.reduced : plan.kept;
    const std::int64_t size = static_cast<std::int64_t>(size_of(x.format));
    plan.inner = from.rank > 0 ? from.dim[--from.rank] : Dim{1, size, 1, x.is_pair ? size : 0};
    plan.contiguous = !plan.swapped && (plan.inner.in == size || plan.inner.size == 1);
    plan.fold = folding(plan, size);
    plan.transposed = is_transposed(plan, size);
    return plan;
}

bool are_in_order(const Plan& plan) {
    std::int64_t next = 1;
    const auto comes_next = [&next](const Dim& d) {
        const bool does = d.size == 1 || d.out == next;
        next *= d.size;
        return does;
    };
    if (plan.out != 0 || (plan.shape == Shape::columns && !comes_next(plan.inner))) return false;
    for (int i = plan.kept.rank; i-- > 0;)
        if (!comes_next(plan.kept.dim[i])) return false;
    return true;
}

Walk::Walk(const Dims& dims, std::int64_t index) : dims_(dims) {
    for (int i = dims.rank - 1; i >= 0; --i) {
        const Dim& d = dims.dim[i];
        const bool whole = i == 0 || index < d.size;  // a division saved: most walks start at the front
        at_[i] = whole ? index : index % d.size;
        index = whole ? 0 : index / d.size;
        offsets_.in += at_[i] * d.in;
        offsets_.out += at_[i] * d.out;
    }
}

Offsets offsets_at(const Dims& dims, std::int64_t index) {
    const Walk walk(dims, index);
    return {walk.in(), walk.out()};
}

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

static_assert(groups_together * most_of_group <= grouped_elements);

Groups Groups::along(const View& x, int axis) {
    Groups groups{x.data, x.format, 0, 0, 1};
    if (x.rank < 3) return groups;
    groups.count = 1;
    groups.rows = x.shape[axis];
    std::int64_t stride = static_cast<std::int64_t>(size_of(x.format));
    bool contiguous = !x.swapped;
    for (int i = x.rank - 1; i >= 0; --i) {
        contiguous = contiguous && (x.shape[i] == 1 || x.strides[i] == stride);
        stride *= x.shape[i];
        if (i != axis) (i > axis ? groups.columns : groups.count) *= x.shape[i];
    }
    if (!contiguous) groups.count = 0;
    return groups;
}

bool Groups::are_small(std::int64_t most_columns, std::int64_t most_elements, Format result,
                       const void* out) const {
    const auto is_aligned = [](const void* p, Format of) {
        return reinterpret_cast<std::uintptr_t>(p) % size_of(of) == 0;
    };
    return count >= least_packed_sets && columns >= 2 && columns <= most_columns && rows >= 2 &&
           rows * columns <= most_elements && is_aligned(data, format) && is_aligned(out, result);
}

std::int64_t Groups::together() const {
    const std::int64_t most = grouped_elements / (rows * columns) / groups_together * groups_together;
    return std::clamp<std::int64_t>(most, groups_together, count);
}

}  // namespace samesum
