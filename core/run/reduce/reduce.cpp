#include "run/reduce/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "run/layouts/groups.hpp"
#include "run/layouts/packed.hpp"
#include "run/layouts/reordered_parts.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/reducing.hpp"
#include "run/reduce/stages.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

Counters counters{};

namespace {

// A quicker one with the same results for sets of one element.
Reduction of_one(Reduction row, Format in, Format out) {
    if (row.combine == Combine::spread) return row;
    if (row.map == Map::exponential) row = {Map::itself, Combine::sum, Finalize::over_count, false};
    if (!is_float(in)) return row;
    if (row.finalize == Finalize::over_count) row.finalize = Finalize::itself;
    if (row.finalize == Finalize::root && row.map == Map::square)
        row = {Map::magnitude, row.combine, Finalize::itself, false};
    if (row.combine == Combine::product && in == out) row.combine = Combine::maximum;  // of zeros too
    return row;
}

// The positions of greatest and least elements where each set has but one.
bool place_lone_elements(const View& x, const bool* reduced, const Result& result) {
    std::int64_t elements = 1, bytes = static_cast<std::int64_t>(size_of(result.format));
    for (int i = 0; i < x.rank; ++i) (reduced[i] ? elements : bytes) *= x.shape[i];
    if (!is_position(result.row.combine) || elements != 1) return false;
    record(Route::lone_positions);
    char* const out = static_cast<char*>(result.out);
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * zeroed_bytes;
        std::memset(out + first, 0,
                    static_cast<std::size_t>(std::min<std::int64_t>(zeroed_bytes, bytes - first)));
    };
    for_each_task(static_cast<std::size_t>((bytes + zeroed_bytes - 1) / zeroed_bytes),
                  static_cast<std::size_t>(thread_count()), task);
    return true;
}

}  // namespace

Target target_of(const Plan& plan, const Result& result) {
    const Reduction row =
        plan.reduced_count == 1 ? of_one(result.row, plan.format, result.format) : result.row;
    return {choose_tiers(row, plan.format, result.format, plan.reduced_count),
            {row.finalize, result.format, plan.reduced_count, row.correction},
            static_cast<char*>(result.out)};
}

namespace {

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

}  // namespace

Manner manner_of(const Reduction& row, Format format) {
    return {is_position(row.combine), least_lane_of(row, format), least_lane_side_by_side(row, format)};
}

namespace {

// Elements of a group of few columns that are quicker side by side with those of others than by themselves.
std::int64_t most_of_few_columns(const Reduction& row, Format format) {
    static_assert(groups_together * most_of_heavy_group * 8 < threaded_bytes);
    if (row.map == Map::exponential || (row.combine == Combine::product && is_float(format)))
        return most_of_heavy_group;
    if (row.combine == Combine::sum && is_float(format)) return most_of_float_sum_group;
    if (size_of(format) == 1) return most_of_byte_group;
    return size_of(format) < 8 ? most_of_narrow_group : most_of_wide_group;
}

// The groups that a plan goes through; none if it has others.
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

void reduce_groups(const Groups& groups, bool ordered, const Target* targets, std::size_t count) {
    const BriefWork brief(groups.bytes() < brief_bytes);
    const auto each = [&](const View& block, std::int64_t first, std::int64_t number) {
        constexpr bool reduced[] = {true, false};
        const std::size_t pitch = groups.room_for(number, 1, Format::f64);
        const Room results(count * pitch);
        Target some[most_results];
        for (std::size_t i = 0; i < count; ++i)
            some[i] = {targets[i].tiers, targets[i].how, results.get() + i * pitch};
        run_job(plan_reduction(block, reduced, {ordered}), some, count);
        for (std::size_t i = 0; i < count; ++i)
            put_groups(some[i].out, some[i].how.format, groups.columns, first, number, targets[i].out);
    };
    for_each_block(groups, groups.bytes() >= threaded_bytes ? thread_count() : 1, each);
}

void run(const Plan& plan, const Manner& manner, std::int64_t most_elements, const Target* targets,
         std::size_t n) {
    const Groups groups = groups_of(plan);
    const auto suits = [&](const Target& t) {
        return groups.are_small(most_group_columns, most_elements, t.how.format, t.out);
    };
    if (std::all_of(targets, targets + n, suits)) {
        record(Route::groups);
        reduce_groups(groups, plan.ordered, targets, n);
    } else if (suits_packing(plan, groups.count > 0)) {
        record(Route::packed);
        reduce_packed(plan, manner, targets, n);
    } else {
        record(Route::direct);
        run_job(plan, targets, n);
    }
}

}  // namespace

bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n) {
    return Reordered::pays(plan) && std::all_of(results, results + n, [](const Result& r) {
               return reinterpret_cast<std::uintptr_t>(r.out) % size_of(r.format) == 0;
           });
}

namespace {

// The loops of some results of the same sets: of all of them in the order of the elements if that asks for
// nothing that is not done anyway.
struct Loops {
    Plan plan;
    Manner manner;
    std::int64_t most_elements;  // of a group of few columns
};

Loops loops_of_one(const View& x, const bool* reduced, const Reduction& row) {
    const Manner manner = manner_of(row, x.format);
    return {plan_reduction(x, reduced, manner), manner, most_of_few_columns(row, x.format)};
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

// Some results, as many at a time as a pass takes.
void run_loops(const Loops& loops, const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (n == 1) {  // one target takes less to make than room for many
        const Target target = target_of(loops.plan, *results);
        return run(loops.plan, loops.manner, loops.most_elements, &target, 1);
    }
    Target targets[most_results];
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (place_lone_elements(x, reduced, results[i])) continue;
        targets[count++] = target_of(loops.plan, results[i]);
        if (count < most_results) continue;
        run(loops.plan, loops.manner, loops.most_elements, targets, count);
        count = 0;
    }
    if (count > 0) run(loops.plan, loops.manner, loops.most_elements, targets, count);
}

void reduce_as_it_lies(const Loops& loops, const View& x, const bool* reduced, const Result* results,
                       std::size_t n) {
    if (!pays_to_reorder(loops.plan, results, n)) return run_loops(loops, x, reduced, results, n);
    // All parts go in the manner of the whole.
    const auto reduce_part = [&](const View& part, const bool* own, const Result* to) {
        run_loops({plan_reduction(part, own, loops.manner), loops.manner, loops.most_elements}, part, own, to,
                  n);
    };
    reduce_reordered(x, reduced, results, n, reduce_part);
}

void find_as_it_lies(const View& x, const bool* reduced, const Reduction& row, std::int64_t* out) {
    const Result result{row, Format::i64, out};
    reduce_as_it_lies(loops_of_one(x, reduced, row), x, reduced, &result, 1);
}

}  // namespace

void reduce(const View& x, const bool* reduced, const Reduction& row, Format format, void* out) {
    const Result result{row, format, out};
    if (x.is_masked()) return reduce_masked(x, reduced, &result, 1);
    if (place_lone_elements(x, reduced, result)) return;
    if (is_position(row.combine))
        find_in_stages(x, reduced, row, find_as_it_lies, static_cast<std::int64_t*>(out));
    else
        reduce_as_it_lies(loops_of_one(x, reduced, row), x, reduced, &result, 1);
}

void reduce_several(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (x.is_masked()) return reduce_masked(x, reduced, results, n);
    const Loops loops = loops_of(x, reduced, results, n);
    if (loops.manner.ordered) return reduce_as_it_lies(loops, x, reduced, results, n);
    std::vector<Result> rest;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_position(results[i].row.combine))
            reduce(x, reduced, results[i].row, results[i].format, results[i].out);
        else
            rest.push_back(results[i]);
    }
    if (!rest.empty()) reduce_as_it_lies(loops, x, reduced, rest.data(), rest.size());
}

}  // namespace samesum
