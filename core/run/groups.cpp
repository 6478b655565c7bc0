#include "run/groups.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/instruction_set.hpp"
#include "run/accumulate.hpp"
#include "run/job.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t most_columns_of_group = 16, most_elements_of_group = 512, least_groups = 16;
// What is taken at a time: elements that stay in the caches while they become rows, and results.
constexpr std::int64_t block_bytes = 32 << 10, block_results = 1024;
// Groups are transposed by squares.
constexpr std::int64_t square = 8;

class Groups {
  public:
    Groups(const Plan& plan, const Target* targets, std::size_t count)
        : plan_(plan),
          targets_(targets),
          count_(count),
          size_(static_cast<std::int64_t>(size_of(plan.format))),
          rows_(plan.reduced_count),
          columns_(plan.inner.size),
          groups_(plan.kept.count()),
          together_(std::clamp(
              std::min(block_bytes / (rows_ * columns_ * size_), block_results / columns_) / square * square,
              square, groups_)) {}

    void run() const {
        const std::int64_t bytes = groups_ * rows_ * columns_ * size_;
        const BriefWork brief(bytes < brief_bytes);
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * together_;
            reduce_some(first, std::min(together_, groups_ - first));
        };
        for_each_task(static_cast<std::size_t>((groups_ + together_ - 1) / together_),
                      static_cast<std::size_t>(bytes >= threaded_bytes ? thread_count() : 1), task);
    }

  private:
    // Each row has the first column of all these groups, then the second one and so on.
    void reduce_some(std::int64_t first, std::int64_t count) const {
        alignas(64) char elements[block_bytes], results[most_results][block_results * 8];
        const std::size_t n = static_cast<std::size_t>(count),
                          whole = static_cast<std::size_t>(rows_ * columns_);
        const UntangleMethods& untangling = *current_instruction_set().untangling;
        untangling.any[index_of(size_)](plan_.data + first * plan_.kept.dim[0].in,
                                        static_cast<std::ptrdiff_t>(whole), whole, n, elements, n);
        const std::int64_t shape[] = {rows_, columns_ * count}, strides[] = {columns_ * count * size_, size_};
        constexpr bool reduced[] = {true, false};
        const Plan block =
            plan_reduction({elements, 2, shape, strides, plan_.format, false}, reduced, {plan_.ordered});
        Target some[most_results];
        for (std::size_t i = 0; i < count_; ++i) some[i] = {targets_[i].tiers, targets_[i].how, results[i]};
        run_job(block, some, count_);
        for (std::size_t i = 0; i < count_; ++i) {
            const std::int64_t size = static_cast<std::int64_t>(size_of(targets_[i].how.format));
            char* const out = targets_[i].out + (plan_.out + first * columns_) * size;
            untangling.any_back[index_of(size)](results[i], n, static_cast<std::size_t>(columns_), n, out,
                                                columns_);
        }
    }

    static std::size_t index_of(std::int64_t size) {
        return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(size)));
    }

    const Plan& plan_;
    const Target* const targets_;
    const std::size_t count_;
    const std::int64_t size_, rows_, columns_, groups_, together_;
};

}  // namespace

bool has_small_groups(const Plan& plan, const Target* targets, std::size_t count) {
    if (plan.shape != Shape::columns || !plan.contiguous || plan.kept.rank != 1 || plan.reduced.rank != 1)
        return false;
    const Dim &group = plan.kept.dim[0], &row = plan.reduced.dim[0];
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format)), columns = plan.inner.size,
                       elements = columns * row.size;
    const auto is_aligned = [](const void* p, Format format) {
        return reinterpret_cast<std::uintptr_t>(p) % size_of(format) == 0;
    };
    const bool small = columns >= 2 && columns <= most_columns_of_group && elements <= most_elements_of_group;
    return small && group.size >= least_groups && row.in == columns * size && group.in == elements * size &&
           group.out == columns && plan.inner.out == 1 && is_aligned(plan.data, plan.format) &&
           std::all_of(targets, targets + count,
                       [&](const Target& t) { return is_aligned(t.out, t.how.format); });
}

void run_groups(const Plan& plan, const Target* targets, std::size_t count) {
    Groups(plan, targets, count).run();
}

}  // namespace samesum
