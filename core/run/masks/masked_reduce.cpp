#include <algorithm>
#include <vector>

#include "arithmetic/division.hpp"
#include "arithmetic/rounding.hpp"
#include "run/layouts/reordered.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr Reduction count_row{Map::itself, Combine::sum, Finalize::itself, false};

// What changes no result: it takes the place of what is not chosen.
std::uint64_t identity_of(const Reduction& row, Format in) {
    switch (row.combine) {
        case Combine::minimum:
        case Combine::minimum_position:
            return worst(false, in);
        case Combine::maximum:
        case Combine::maximum_position:
            return worst(true, in);
        case Combine::product:
        case Combine::logical_and:
            return is_float(in) ? round_bits(1, in) : 1;
        default:
            return row.map == Map::exponential ? worst(true, in) : 0;
    }
}

// Nothing can take the place of elements of these.
bool takes_chosen_alone(const Reduction& row, Format in) {
    return row.combine == Combine::spread || (row.map == Map::exponential && !is_float(in));
}

bool needs_counts(const Reduction& row, const View& x) {
    return row.finalize == Finalize::over_count || takes_chosen_alone(row, x.format) ||
           (x.skip == Skip::nan && is_extreme(row.combine));
}

std::uint64_t result_of_none(const Reduction& row, Format out) {
    if (is_extreme(row.combine) && is_float(out)) return canonical_nan(out);
    std::uint64_t bits = 0;
    fill_empty(row, out, &bits, 1);
    return bits;
}

Target masked_target(const Plan& plan, const View& x, const Result& result, const std::int64_t* counts) {
    Target target = target_of(plan, result);
    const Reduction& row = result.row;
    target.chosen.use = takes_chosen_alone(row, x.format) ? MaskUse::compacted : MaskUse::filled;
    target.chosen.identity = identity_of(row, x.format);
    if (!needs_counts(row, x)) return target;
    target.counts = counts;
    target.tiers.at_once = nullptr;  // it knows one count for all
    target.divides = row.combine == Combine::spread || target.how.finalize == Finalize::over_count;
    target.none = result_of_none(row, result.format);
    return target;
}

Target count_target(const Plan& plan, std::int64_t* counts) {
    return {choose_tiers(count_row, Format::i64, Format::i64, plan.reduced_count),
            {Finalize::itself, Format::i64, plan.reduced_count},
            reinterpret_cast<char*>(counts),
            {MaskUse::counted, 0}};
}

// Hints for all results of the same sets.
LayoutHints common_hints(const View& x, const Result* results, std::size_t n) {
    LayoutHints hints = hints_of(results[0].row, x.format);
    for (std::size_t i = 1; i < n; ++i) {
        const LayoutHints own = hints_of(results[i].row, x.format);
        hints.least_lane = std::max(hints.least_lane, own.least_lane);
        hints.least_lane_side_by_side = std::min(hints.least_lane_side_by_side, own.least_lane_side_by_side);
    }
    hints.least_lane_side_by_side = std::max(hints.least_lane_side_by_side, hints.least_lane);
    return hints;
}

// Columns of few rows are whole short sets that are reduced at once when they are packed; of more, rows are
// read where they are if they are long.
bool suits_masked_packing(const Plan& plan) {
    if (plan.kept_count < least_packed_sets || plan.reduced_count > most_of_packed_set || !are_in_order(plan))
        return false;
    return plan.shape == Shape::lanes || plan.reduced_count <= few_masked_rows ||
           plan.inner.size < least_masked_row || !plan.contiguous ||
           (plan.mask != nullptr && plan.inner.mask != 1);
}

// Results of all but positions, at most so many that there is one target left for the counts.
void reduce_as_it_lies(const View& x, Plan plan, const LayoutHints& hints, const Result* results,
                       std::size_t n) {
    const bool are_counted =
        std::any_of(results, results + n, [&](const Result& r) { return needs_counts(r.row, x); });
    std::vector<std::int64_t> counts(are_counted ? static_cast<std::size_t>(plan.kept_count) : 0);
    Target targets[most_results];
    std::size_t count = 0;
    bool any_compacted = false;
    if (are_counted) targets[count++] = count_target(plan, counts.data());
    for (std::size_t i = 0; i < n; ++i) {
        targets[count++] = x.skip == Skip::zeros
                               ? count_target(plan, static_cast<std::int64_t*>(results[i].out))
                               : masked_target(plan, x, results[i], counts.data());
        any_compacted = any_compacted || takes_chosen_alone(results[i].row, x.format);
    }
    if (any_compacted) plan.fold = 1;
    if (!any_compacted && suits_masked_packing(plan))
        reduce_packed(plan, hints, targets, count);
    else
        run_job(plan, targets, count);
}

void reduce_some(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    const LayoutHints hints = common_hints(x, results, n);
    const Plan plan = plan_reduction(x, reduced, hints);
    if (!pays_to_reorder(plan, results, n)) return reduce_as_it_lies(x, plan, hints, results, n);
    reduce_reordered(x, reduced, results, n, [&](const View& part, const bool* own, const Result* to) {
        reduce_as_it_lies(part, plan_reduction(part, own, hints), hints, to, n);
    });
}

// The mask as an array.
View mask_of(const View& x) { return {x.mask, x.rank, x.shape, x.mask_strides, Format::boolean, false}; }

Dims dims_of(const View& x, const bool* reduced, bool wanted) {
    Dims dims;
    for (int i = 0; i < x.rank; ++i)
        if (reduced[i] == wanted) dims.push({x.shape[i], x.strides[i], 0});
    return dims;
}

// The position of what takes the place of others is found where all that are chosen are as far out: the first
// or last of them is it then.
void correct_positions(const View& x, const bool* reduced, bool last, std::int64_t* positions) {
    const View mask = mask_of(x);
    const Dims kept = dims_of(mask, reduced, false), set = dims_of(mask, reduced, true);
    const std::int64_t n = kept.count();
    std::vector<std::int64_t> chosen;
    Walk place(kept, 0);
    for (std::int64_t k = 0; k < n; ++k, place.next()) {
        if (mask.data[place.in() + offsets_at(set, positions[k]).in] != 0) continue;
        if (chosen.empty()) {
            chosen.resize(static_cast<std::size_t>(n));
            const Reduction row{Map::itself, Combine::maximum_position, Finalize::itself, last};
            reduce(mask, reduced, row, Format::i64, chosen.data());
        }
        positions[k] = chosen[static_cast<std::size_t>(k)];
    }
}

void find_as_it_lies(const View& x, const bool* reduced, const Plan& plan, const LayoutHints& hints,
                     const Result& result) {
    const Target target = masked_target(plan, x, result, nullptr);
    if (suits_masked_packing(plan))
        reduce_packed(plan, hints, &target, 1);
    else
        run_job(plan, &target, 1);
    if (x.mask != nullptr)
        correct_positions(x, reduced, result.row.last, static_cast<std::int64_t*>(result.out));
}

void find_positions(const View& x, const bool* reduced, const Result& result) {
    const LayoutHints hints = hints_of(result.row, x.format);
    const Plan plan = plan_reduction(x, reduced, hints);
    if (!pays_to_reorder(plan, &result, 1)) return find_as_it_lies(x, reduced, plan, hints, result);
    reduce_reordered(x, reduced, &result, 1, [&](const View& part, const bool* own, const Result* to) {
        find_as_it_lies(part, own, plan_reduction(part, own, hints), hints, *to);
    });
}

// Whether one of its elements is NaN, up to the first slab along axis 0 that has one.
bool has_nan(const View& x) {
    constexpr Reduction greatest{Map::itself, Combine::maximum, Finalize::itself, false};
    constexpr std::int64_t slabs = 16;
    const CodeRange numbers = codes_of(x.format, Skip::nan);
    bool all[max_rank];
    std::fill_n(all, x.rank, true);
    std::vector<std::int64_t> shape(x.shape, x.shape + x.rank);
    const std::int64_t rows = x.rank > 0 ? x.shape[0] : 1, some = divided_up(rows, slabs);
    for (std::int64_t row = 0; row < rows; row += some) {
        View slab = x;
        slab.skip = Skip::nothing;
        slab.shape = shape.data();
        if (x.rank > 0) {
            shape[0] = std::min(some, rows - row);
            slab.data += row * x.strides[0];
        }
        std::uint64_t bits = 0;
        reduce(slab, all, greatest, x.format, &bits);
        if (((bits + numbers.step) & numbers.magnitude) > numbers.most) return true;
    }
    return false;
}

// Identities are filled into contiguous sets on the way; all else takes longer than another look at the
// array.
bool pays_to_look_for_nan(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (x.skip != Skip::nan || x.mask != nullptr) return false;
    return std::any_of(results, results + n, [&](const Result& r) { return needs_counts(r.row, x); }) ||
           plan_reduction(x, reduced, common_hints(x, results, n)).shape == Shape::columns;
}

}  // namespace

void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n) {
    if (pays_to_look_for_nan(x, reduced, results, n) && !has_nan(x)) {
        record(Route::mask_without_nan);
        View all = x;
        all.skip = Skip::nothing;
        return reduce_several(all, reduced, results, n);
    }
    std::vector<Result> some;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_position(results[i].row.combine))
            find_positions(x, reduced, results[i]);
        else
            some.push_back(results[i]);
    }
    constexpr std::size_t most = most_results - 1;
    for (std::size_t i = 0; i < some.size(); i += most)
        reduce_some(x, reduced, &some[i], std::min(most, some.size() - i));
}

}  // namespace samesum
