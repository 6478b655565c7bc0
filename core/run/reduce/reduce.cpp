#include "run/reduce/reduce.hpp"

#include <algorithm>
#include <vector>

#include "run/layouts/reordered.hpp"
#include "run/layouts/staging.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"

namespace samesum {

Counters counters{};

namespace {

void reduce_groups(const Groups& groups, bool ordered, const Target* targets, std::size_t count) {
    const SharedWork work(groups.bytes(), threaded_bytes, brief_bytes);
    const auto each = [&](const View& block, std::int64_t first, std::int64_t number) {
        constexpr bool reduced[] = {true, false};
        const std::size_t pitch = groups.room_for(number, 1, Format::f64);
        const Scratch results(count * pitch);
        Target some[most_results];
        for (std::size_t i = 0; i < count; ++i)
            some[i] = {targets[i].tiers, targets[i].how, results.get() + i * pitch};
        run_job(plan_reduction(block, reduced, {ordered}), some, count);
        for (std::size_t i = 0; i < count; ++i)
            put_groups(some[i].out, some[i].how.format, groups.columns, first, number, targets[i].out);
    };
    for_each_block(groups, work.threads, each);
}

void run(const Loops& loops, const Target* targets, std::size_t n) {
    const Plan& plan = loops.plan;
    const Groups groups = groups_of(plan);
    const auto suits = [&](const Target& t) {
        return groups.are_small(most_group_columns, loops.most_elements, t.how.format, t.out);
    };
    if (groups.count > 0 && std::all_of(targets, targets + n, suits)) {
        record(Route::groups);
        reduce_groups(groups, plan.ordered, targets, n);
    } else if (suits_packing(plan, groups.count > 0)) {
        record(Route::packed);
        reduce_packed(plan, loops.hints, targets, n);
    } else {
        record(Route::direct);
        run_job(plan, targets, n);
    }
}

// Some results, as many at a time as a pass takes.
void run_loops(const Loops& loops, const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (n == 1) {  // one target takes less to make than room for many
        const Target target = target_of(loops.plan, *results);
        return run(loops, &target, 1);
    }
    Target targets[most_results];
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (place_lone_elements(x, reduced, results[i])) continue;
        targets[count++] = target_of(loops.plan, results[i]);
        if (count < most_results) continue;
        run(loops, targets, count);
        count = 0;
    }
    if (count > 0) run(loops, targets, count);
}

void reduce_as_it_lies(const Loops& loops, const View& x, const bool* reduced, const Result* results,
                       std::size_t n) {
    if (!pays_to_reorder(loops.plan, results, n)) return run_loops(loops, x, reduced, results, n);
    // All parts keep the hints of the whole.
    const auto reduce_part = [&](const View& part, const bool* own, const Result* to) {
        run_loops({plan_reduction(part, own, loops.hints), loops.hints, loops.most_elements}, part, own, to,
                  n);
    };
    reduce_reordered(x, reduced, results, n, reduce_part);
}

void find_as_it_lies(const View& x, const bool* reduced, const Reduction& row, std::int64_t* out) {
    const Result result{row, Format::i64, out};
    reduce_as_it_lies(loops_of(x, reduced, row), x, reduced, &result, 1);
}

}  // namespace

void reduce(const View& x, const bool* reduced, const Reduction& row, Format format, void* out) {
    const Result result{row, format, out};
    if (x.is_masked()) return reduce_masked(x, reduced, &result, 1);
    if (!is_position(row.combine))
        reduce_as_it_lies(loops_of(x, reduced, row), x, reduced, &result, 1);
    else if (!place_lone_elements(x, reduced, result))
        find_positions(x, reduced, row, find_as_it_lies, static_cast<std::int64_t*>(out));
}

void reduce_several(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (n == 0) return;
    if (x.is_masked()) return reduce_masked(x, reduced, results, n);
    const Loops loops = loops_of(x, reduced, results, n);
    if (loops.hints.ordered) return reduce_as_it_lies(loops, x, reduced, results, n);
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
