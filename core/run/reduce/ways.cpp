#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Products have much to do at the end of a lane, and of small elements a short lane is but a part of a
// vector.
std::int64_t least_lane_of(const Reduction& row, Format format) {
    const bool is_product = row.combine == Combine::product, is_small = size_of(format) < 4;
    return (is_product ? !is_float(format) : is_small) ? least_small_lane : least_lane;
}

// Sets that lie side by side are made at once, which is quicker than lanes for longer.
std::int64_t least_lane_side_by_side(const Reduction& row, Format format) {
    const bool is_sum = row.combine == Combine::sum;
    if (is_byte_float(format)) return least_lane_of(row, format);
    if (row.map == Map::exponential) return least_exponential_lane_side_by_side;
    if (!is_sum && row.combine != Combine::product)
        return size_of(format) < 8 ? least_extreme_lane_side_by_side : least_wide_lane_side_by_side;
    if (is_float(format) || !is_sum) return least_wide_lane_side_by_side;
    return row.finalize == Finalize::over_count ? std::int64_t{least_mean_lane_side_by_side}
                                                : least_lane_of(row, format);
}

// Elements of a group of few columns that are quicker side by side with those of others than by themselves.
std::int64_t most_of_few_columns(const Reduction& row, Format format) {
    static_assert(groups_together * most_of_heavy_group * 8 < threaded_bytes);
    if (row.map == Map::exponential || (row.combine == Combine::product && is_float(format)))
        return most_of_heavy_group;
    if (row.combine == Combine::sum && is_float(format)) return most_of_float_sum_group;
    if (size_of(format) == 1) return most_of_byte_group;
    return size_of(format) < 8 ? most_of_narrow_group : most_of_wide_group;
}

bool equal(const Dim& a, const Dim& b) { return a.size == b.size && a.in == b.in && a.out == b.out; }

bool equal(const Dims& a, const Dims& b) {
    return a.rank == b.rank &&
           std::equal(a.dim, a.dim + a.rank, b.dim, [](const Dim& x, const Dim& y) { return equal(x, y); });
}

// Whether the order of the elements asks for nothing that the plan does not do anyway.
bool equal_loops(const Plan& a, const Plan& b) {
    return a.shape == b.shape && a.data == b.data && a.out == b.out && a.fold == b.fold &&
           equal(a.inner, b.inner) && equal(a.kept, b.kept) && equal(a.reduced, b.reduced);
}

bool is_aligned(const Plan& plan) {
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format));
    const Dim *const first = plan.kept.dim, *const last = first + plan.kept.rank;
    return reinterpret_cast<std::uintptr_t>(plan.data) % size_of(plan.format) == 0 &&
           std::all_of(first, last, [size](const Dim& d) { return d.in % size == 0; });
}

}  // namespace

LayoutHints hints_of(const Reduction& row, Format format) {
    return {is_position(row.combine), least_lane_of(row, format), least_lane_side_by_side(row, format)};
}

Loops loops_of(const View& x, const bool* reduced, const Reduction& row) {
    const LayoutHints hints = hints_of(row, x.format);
    return {plan_reduction(x, reduced, hints), hints, most_of_few_columns(row, x.format)};
}

Loops loops_of(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    std::int64_t least = 0, side_by_side = INT64_MAX, most_elements = INT64_MAX;
    for (std::size_t i = 0; i < n; ++i) {
        most_elements = std::min(most_elements, most_of_few_columns(results[i].row, x.format));
        least = std::max(least, least_lane_of(results[i].row, x.format));
        side_by_side = std::min(side_by_side, least_lane_side_by_side(results[i].row, x.format));
    }
    side_by_side = std::max(side_by_side, least);
    const Plan ordered = plan_reduction(x, reduced, {true, least, side_by_side}),
               any = plan_reduction(x, reduced, {false, least, side_by_side});
    const bool are_equal = equal_loops(ordered, any);
    return {are_equal ? ordered : any, {are_equal, least, side_by_side}, most_elements};
}

bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n) {
    if (plan.kept_count < least_reordered_results || are_in_order(plan)) return false;
    // Tiles that are narrow, or so few rows high that scattering their results takes as long as they do.
    const bool pays = plan.shape == Shape::lanes
                          ? plan.reduced_count < most_of_reordered_lane
                          : plan.inner.size < narrow_reordered_columns ||
                                (plan.inner.out != 1 && plan.reduced_count < few_reordered_rows);
    return pays && std::all_of(results, results + n, [](const Result& r) {
               return reinterpret_cast<std::uintptr_t>(r.out) % size_of(r.format) == 0;
           });
}

Groups groups_of(const Plan& plan) {
    Groups groups{plan.data, plan.format, 0, plan.reduced_count, plan.inner.size};
    if (plan.shape != Shape::columns || !plan.contiguous || plan.kept.rank != 1 || plan.reduced.rank != 1)
        return groups;
    const std::int64_t row = groups.columns * static_cast<std::int64_t>(size_of(plan.format));
    const Dim& group = plan.kept.dim[0];
    if (plan.reduced.dim[0].in == row && group.in == groups.rows * row && group.out == groups.columns &&
        plan.inner.out == 1 && plan.out == 0)
        groups.count = group.size;
    return groups;
}

bool suits_packing(const Plan& plan, bool are_groups) {
    if (plan.kept_count < least_packed_sets || plan.reduced_count > most_of_packed_set || !are_in_order(plan))
        return false;
    if (plan.shape == Shape::columns) {
        // Not so many rows that a block would be but a few tiles.
        const std::int64_t n = plan.inner.size, tile = n * plan.reduced_count;
        if (!plan.contiguous && !plan.transposed && plan.reduced_count <= few_packed_rows) return true;
        if (are_groups && size_of(plan.format) >= 4 && tile >= small_packed_group) return false;
        return plan.kept.rank > 0 && !plan.transposed && n < narrow_packed_columns &&
               tile < small_packed_tile;
    }
    // Runs at one distance from each other are read as they lie.
    return !plan.contiguous || plan.reduced.rank > 0 ||
           (plan.kept.rank > 1 && plan.kept.dim[plan.kept.rank - 1].size < least_packed_sets);
}

bool are_short(const Plan& plan, const Target* targets, std::size_t count) {
    if (plan.shape != Shape::columns || plan.reduced.rank > 1 || plan.is_masked()) return false;
    if (plan.contiguous && plan.reduced_count > most_apart_rows) return false;
    if (!plan.contiguous && !(plan.transposed && is_aligned(plan))) return false;
    return std::all_of(targets, targets + count, [](const Target& t) { return t.tiers.at_once != nullptr; });
}

namespace {

std::int64_t distance(const View& x, int i) { return x.strides[i] == 0 ? INT64_MAX : std::abs(x.strides[i]); }

bool is_mirrored(const View& x, const bool* reduced) {
    bool any = false;
    for (int i = 0; i < x.rank; ++i) {
        if (!reduced[i] || x.shape[i] == 1) continue;
        if (x.strides[i] >= 0) return false;
        any = true;
    }
    return any;
}

// All reduced dimensions run backwards: the first of equal ones is then the last one forwards.
void find_mirrored(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                   std::int64_t* out) {
    record(Route::mirrored);
    View forwards = x;
    std::int64_t strides[max_rank], outputs = 1, count = 1;
    for (int i = 0; i < x.rank; ++i) {
        strides[i] = reduced[i] ? -x.strides[i] : x.strides[i];
        if (reduced[i]) forwards.data += x.strides[i] * (x.shape[i] - 1);
        (reduced[i] ? count : outputs) *= x.shape[i];
    }
    forwards.strides = strides;
    Reduction own = row;
    own.last = !row.last;
    find_positions(forwards, reduced, own, find, out);
    for (std::int64_t k = 0; k < outputs; ++k) out[k] = count - 1 - out[k];
}

struct Split {
    int at;               // the dimension that is nearest in memory: it is reduced, and not the last such one
    std::int64_t behind;  // elements of the reduced dimensions after it
};

Split split_of(const View& x, const bool* reduced) {
    Split split{-1, 1};
    for (int i = 0; i < x.rank; ++i) {
        if (x.shape[i] == 1) continue;
        if (split.at < 0 || distance(x, i) < distance(x, split.at))
            split = {i, 1};
        else if (reduced[i])
            split.behind *= x.shape[i];
    }
    return split;
}

// The dimensions behind the split are reduced first, for each place in those before it; then the winners are
// reduced. A position is counted in those behind within those before.
class TwoStages {
  public:
    TwoStages(const View& x, const bool* reduced, const Split& split, const Reduction& row)
        : x_(x), row_(row), behind_(split.behind) {
        for (int i = 0; i < x.rank; ++i) {
            const Dim d{x.shape[i], x.strides[i], 0};
            is_behind_[i] = reduced[i] && i > split.at;
            if (is_behind_[i]) {
                back_.push(d);
            } else {
                is_before_[front_.rank] = reduced[i];
                front_.push(d);
            }
        }
    }

    void find_by(FindPositions find, std::int64_t* out) {
        record(Route::two_stages);
        const std::int64_t n = front_.count(), size = static_cast<std::int64_t>(size_of(x_.format));
        within_.resize(static_cast<std::size_t>(n));
        find_positions(x_, is_behind_, row_, find, within_.data());
        const Scratch winners(static_cast<std::size_t>(n * size));
        Walk place(front_, 0);
        for (std::int64_t k = 0; k < n; ++k, place.next()) {
            const char* winner = x_.data + place.in() + offsets_at(back_, within(k)).in;
            std::memcpy(winners.get() + k * size, winner, static_cast<std::size_t>(size));
        }
        find_winners(find, winners.get(), size, out);
        join(out);
    }

  private:
    std::int64_t within(std::int64_t k) const { return within_[static_cast<std::size_t>(k)]; }

    // They follow one another: their array is best taken as it lies.
    void find_winners(FindPositions find, const char* winners, std::int64_t size, std::int64_t* out) const {
        std::int64_t shape[max_rank], strides[max_rank], stride = size;
        for (int i = front_.rank - 1; i >= 0; --i) {
            shape[i] = front_.dim[i].size;
            strides[i] = stride;
            stride *= shape[i];
        }
        find_positions({winners, front_.rank, shape, strides, x_.format, x_.swapped}, is_before_, row_, find,
                       out);
    }

    void join(std::int64_t* out) const {
        Dims kept, before;  // in places
        std::int64_t stride = 1;
        for (int i = front_.rank - 1; i >= 0; --i) {
            (is_before_[i] ? before : kept).push({front_.dim[i].size, stride, 0});
            stride *= front_.dim[i].size;
        }
        std::reverse(kept.dim, kept.dim + kept.rank);
        std::reverse(before.dim, before.dim + before.rank);
        Walk place(kept, 0);
        for (std::int64_t k = 0; k < kept.count(); ++k, place.next())
            out[k] = out[k] * behind_ + within(place.in() + offsets_at(before, out[k]).in);
    }

    const View x_;
    const Reduction row_;
    const std::int64_t behind_;
    Dims front_, back_;              // of the array
    bool is_behind_[max_rank] = {};  // by dimension of the array
    bool is_before_[max_rank] = {};  // by dimension of `front_`
    std::vector<std::int64_t> within_;
};

}  // namespace

bool place_lone_elements(const View& x, const bool* reduced, const Result& result) {
    std::int64_t elements = 1, bytes = static_cast<std::int64_t>(size_of(result.format));
    for (int i = 0; i < x.rank; ++i) (reduced[i] ? elements : bytes) *= x.shape[i];
    if (!is_position(result.row.combine) || elements != 1) return false;
    record(Route::lone_positions);
    char* const out = static_cast<char*>(result.out);
    for_each_batch(bytes, zeroed_bytes, thread_count(), [&](std::int64_t first, std::int64_t n) {
        std::memset(out + first, 0, static_cast<std::size_t>(n));
    });
    return true;
}

void find_positions(const View& x, const bool* reduced, const Reduction& row, FindPositions find,
                    std::int64_t* out) {
    const Split split = split_of(x, reduced);
    if (is_mirrored(x, reduced))
        find_mirrored(x, reduced, row, find, out);
    else if (split.at >= 0 && reduced[split.at] && split.behind >= least_behind_stage)
        TwoStages(x, reduced, split, row).find_by(find, out);
    else
        find(x, reduced, row, out);
}

}  // namespace samesum
