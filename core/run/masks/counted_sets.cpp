#include "run/masks/counted_sets.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/set_dims.hpp"
#include "run/masks/masked.hpp"
#include "run/room.hpp"
#include "select/mask_thresholds.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// One set after the other or, if neighbours are those of other sets, one element of each and then the next.
Dims in_order(const Plan& plan, bool one_by_one) {
    const Dims kept = kept_dims(plan), reduced = reduced_dims(plan);
    return one_by_one ? joined(kept, reduced) : joined(reduced, kept);
}

bool are_one_by_one(const Plan& plan) {
    if (plan.shape == Shape::lanes || plan.reduced.rank == 0) return true;
    const Dim& run = plan.reduced.dim[plan.reduced.rank - 1];
    return std::abs(run.in) < std::abs(plan.inner.in);
}

class CountedSets {
  public:
    CountedSets(const Plan& plan, const Result* results, const std::uint64_t* none, std::size_t n)
        : plan_(plan),
          results_(results),
          none_(none),
          n_(n),
          size_(size_of(plan.format)),
          one_by_one_(are_one_by_one(plan)),
          elements_(in_order(plan, one_by_one_), plan),
          together_(std::clamp<std::int64_t>(
              counted_task_bytes / (plan.reduced_count * static_cast<std::int64_t>(size_)), 1,
              plan.kept_count)) {}

    std::int64_t blocks() const { return (plan_.kept_count + together_ - 1) / together_; }
    std::int64_t bytes() const {
        return plan_.kept_count * plan_.reduced_count * static_cast<std::int64_t>(size_);
    }

    void reduce(std::int64_t number) const {
        const std::int64_t first = number * together_, sets = std::min(together_, plan_.kept_count - first),
                           count = sets * plan_.reduced_count;
        const std::size_t bytes = static_cast<std::size_t>(count) * size_;
        const Room x(bytes), group(bytes), mask(static_cast<std::size_t>(count));
        std::uint8_t* const mask_room = reinterpret_cast<std::uint8_t*>(mask.get());
        const MaskedElements::Block block =
            one_by_one_ ? elements_.block(plan_.data, plan_.mask, first * plan_.reduced_count, count,
                                          MaskUse::alone, x.get(), mask_room)
                        : transposed(first, sets, group.get(), x.get(), mask_room);
        const std::vector<std::int64_t> counts = counts_of(block.mask, sets);
        current_instruction_set().masking->pick[std::countr_zero(size_)](block.x, block.mask, block.n,
                                                                         x.get());
        reduce_groups(x.get(), counts, first, group.get());
    }

  private:
    // A set of the block.
    struct Set {
        std::int64_t number, at;  // where its elements begin
    };

    // Rows with one element of each set, which come to `rows`, as one set after the other.
    MaskedElements::Block transposed(std::int64_t first, std::int64_t sets, char* rows, char* x,
                                     std::uint8_t* mask) const {
        const std::size_t n = static_cast<std::size_t>(sets),
                          of_each = static_cast<std::size_t>(plan_.reduced_count);
        const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(n);
        const Room mask_rows(n * of_each);
        MaskedElements::Block block =
            elements_.rows(plan_.data, plan_.mask, {plan_.reduced_count, plan_.kept_count, first, sets}, rows,
                           reinterpret_cast<std::uint8_t*>(mask_rows.get()));
        const UntangleMethods& untangling = *current_instruction_set().untangling;
        untangling.any[std::countr_zero(size_)](block.x, step, n, of_each, x, of_each);
        untangling.any[0](block.mask, step, n, of_each, mask, of_each);
        block.x = x;
        block.mask = mask;
        return block;
    }

    std::vector<std::int64_t> counts_of(const std::uint8_t* mask, std::int64_t sets) const {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(sets));
        for (std::int64_t& count : counts) {
            for (std::int64_t i = 0; i < plan_.reduced_count; ++i) count += *mask++ != 0;
        }
        return counts;
    }

    // All sets of one count after the other; `begins` tells where each count does.
    void reduce_groups(const char* x, const std::vector<std::int64_t>& counts, std::int64_t first,
                       char* group) const {
        std::vector<std::size_t> begins(static_cast<std::size_t>(plan_.reduced_count) + 2);
        for (const std::int64_t count : counts) ++begins[static_cast<std::size_t>(count) + 1];
        for (std::size_t c = 1; c < begins.size(); ++c) begins[c] += begins[c - 1];
        std::vector<Set> sets(counts.size());
        std::vector<std::size_t> places(begins);
        std::int64_t at = 0;
        for (std::size_t k = 0; k < counts.size(); at += counts[k++])
            sets[places[static_cast<std::size_t>(counts[k])]++] = {first + static_cast<std::int64_t>(k), at};
        put_none(sets.data(), begins[1]);
        for (std::size_t c = 1; c + 1 < begins.size(); ++c) {
            if (begins[c] < begins[c + 1])
                reduce_group(x, &sets[begins[c]], begins[c + 1] - begins[c], c, group);
        }
    }

    void put_none(const Set* sets, std::size_t count) const {
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t k = 0; k < count; ++k)
                store_bits(results_[i].out, static_cast<std::size_t>(sets[k].number), none_[i],
                           size_of(results_[i].format));
        }
    }

    void reduce_group(const char* x, const Set* sets, std::size_t count, std::size_t elements,
                      char* group) const {
        const std::size_t bytes = elements * size_;
        for (std::size_t k = 0; k < count; ++k)
            std::memcpy(group + k * bytes, x + static_cast<std::size_t>(sets[k].at) * size_, bytes);
        const std::int64_t size = static_cast<std::int64_t>(size_),
                           shape[] = {static_cast<std::int64_t>(count), static_cast<std::int64_t>(elements)},
                           strides[] = {shape[1] * size, size};
        constexpr bool reduced[] = {false, true};
        const View view{group, 2, shape, strides, plan_.format, false};
        const Room results(count * 8);
        for (std::size_t i = 0; i < n_; ++i) {
            const Result& result = results_[i];
            samesum::reduce(view, reduced, result.row, result.format, results.get());
            const std::size_t of_each = size_of(result.format);
            for (std::size_t k = 0; k < count; ++k)
                std::memcpy(
                    static_cast<char*>(result.out) + static_cast<std::size_t>(sets[k].number) * of_each,
                    results.get() + k * of_each, of_each);
        }
    }

    const Plan& plan_;
    const Result* const results_;
    const std::uint64_t* const none_;
    const std::size_t n_, size_;
    const bool one_by_one_;
    const MaskedElements elements_;
    const std::int64_t together_;
};

}  // namespace

bool are_short_masked_sets(const Plan& plan) {
    return plan.kept_count >= least_packed_sets && plan.reduced_count <= most_counted_elements &&
           are_in_order(plan);
}

void reduce_counted_sets(const Plan& plan, const Result* results, const std::uint64_t* none, std::size_t n) {
    record(Route::mask_counted_sets);
    const CountedSets sets(plan, results, none, n);
    const BriefWork brief(sets.bytes() < brief_bytes);
    auto task = [&](std::size_t t, std::size_t) { sets.reduce(static_cast<std::int64_t>(t)); };
    for_each_task(static_cast<std::size_t>(sets.blocks()),
                  static_cast<std::size_t>(sets.bytes() >= threaded_bytes ? thread_count() : 1), task);
}

}  // namespace samesum
