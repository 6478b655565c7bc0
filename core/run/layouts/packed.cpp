#include <algorithm>
#include <cstdlib>
#include <optional>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/short_method.hpp"
#include "run/layouts/reordered.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class PackedSets {
  public:
    PackedSets(const Plan& plan, const LayoutHints& hints)
        : plan_(plan),
          hints_(hints),
          size_(static_cast<std::int64_t>(size_of(plan.format))),
          kept_(kept_dims(plan)),
          reduced_(reduced_dims(plan)),
          one_by_one_(are_nearer(reduced_, kept_)),
          packing_(one_by_one_ ? joined(kept_, reduced_) : kept_, size_of(plan.format), plan.swapped),
          together_(
              std::clamp<std::int64_t>(packed_bytes / (plan.reduced_count * size_), 1, plan.kept_count)) {
        if (plan.is_masked())
            masked_.emplace(one_by_one_ ? joined(kept_, reduced_) : joined(reduced_, kept_), plan);
    }

    std::int64_t together() const { return together_; }
    std::int64_t bytes() const { return plan_.kept_count * plan_.reduced_count * size_; }

    // n sets, from number `first` on.
    void reduce(std::int64_t first, std::int64_t n, const Target* targets, std::size_t count) const {
        Target some[most_results];
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t at = first * static_cast<std::int64_t>(size_of(targets[i].how.format));
            some[i] = targets[i];
            some[i].out += at;
            if (some[i].counts != nullptr) some[i].counts += first;
        }
        if (plan_.is_masked()) return reduce_masked(first, n, some, count);
        const Scratch elements(static_cast<std::size_t>(n * plan_.reduced_count * size_));
        pack(first, n, elements.get());
        run_packed(elements.get(), plan_.format, n, some, count);
    }

  private:
    // n sets that are packed.
    void run_packed(const char* elements, Format format, std::int64_t n, const Target* targets,
                    std::size_t count) const {
        const std::int64_t size = static_cast<std::int64_t>(size_of(format)),
                           shape[] = {one_by_one_ ? n : plan_.reduced_count,
                                      one_by_one_ ? plan_.reduced_count : n},
                           strides[] = {shape[1] * size, size};
        const bool reduced[] = {!one_by_one_, one_by_one_};
        run_job(plan_reduction({elements, 2, shape, strides, format, false}, reduced, hints_), targets,
                count);
    }

    // Each target by itself: what takes the place of the elements that are not chosen is its own.
    void reduce_masked(std::int64_t first, std::int64_t n, const Target* targets, std::size_t count) const {
        const std::int64_t elements = n * plan_.reduced_count, bytes = elements * size_;
        const Scratch room(static_cast<std::size_t>(2 * bytes + elements));
        char *const filled = room.get(), *const x = filled + bytes;
        std::uint8_t* const mask = reinterpret_cast<std::uint8_t*>(x + bytes);
        const bool are_counted = std::any_of(
            targets, targets + count, [](const Target& t) { return t.chosen.use == MaskUse::counted; });
        const MaskUse use = are_counted ? MaskUse::compacted : MaskUse::filled;
        const MaskedElements::Block block =
            one_by_one_
                ? masked_->block(plan_.data, plan_.mask, first * plan_.reduced_count, elements, use, x, mask)
                : masked_->rows(plan_.data, plan_.mask, {plan_.reduced_count, plan_.kept_count, first, n},
                                use, x, mask);
        for (std::size_t i = 0; i < count; ++i) {
            const Chosen& chosen = targets[i].chosen;
            if (chosen.use == MaskUse::counted) {
                count_sets(block, static_cast<std::size_t>(n), filled,
                           reinterpret_cast<std::int64_t*>(targets[i].out));
            } else {
                run_packed(masked_->filled(block, chosen.identity, filled), plan_.format, n, targets + i, 1);
            }
        }
    }

    // How many elements each of n sets has; `room` has space for their masks.
    void count_sets(const MaskedElements::Block& block, std::size_t n, char* room,
                    std::int64_t* counts) const {
        const MaskMethods& masking = *current_instruction_set().masking;
        const std::size_t of_each = static_cast<std::size_t>(plan_.reduced_count);
        if (!one_by_one_)
            return masking.count_columns(block.mask, static_cast<std::ptrdiff_t>(n), of_each, n, counts);
        if (of_each <= short_elements) {
            const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(of_each);
            current_instruction_set().transposes->any[0](block.mask, step, of_each, n, room, n);
            return masking.count_columns(reinterpret_cast<const std::uint8_t*>(room),
                                         static_cast<std::ptrdiff_t>(n), of_each, n, counts);
        }
        for (std::size_t k = 0; k < n; ++k)
            counts[k] = static_cast<std::int64_t>(masking.count(block.mask + k * of_each, of_each));
    }

    static bool are_nearer(const Dims& a, const Dims& b) {
        return a.rank > 0 && std::abs(a.dim[a.rank - 1].in) < std::abs(b.dim[b.rank - 1].in);
    }

    // One set after the other, or one element of each and then the next of each.
    void pack(std::int64_t first, std::int64_t n, char* to) const {
        const std::int64_t of_each = plan_.reduced_count;
        if (one_by_one_) return packing_.copy(plan_.data, first * of_each, n * of_each, to);
        Walk rows(reduced_, 0);
        for (std::int64_t r = 0; r < of_each; ++r, rows.next())
            packing_.copy(plan_.data + rows.in(), first, n, to + r * n * size_);
    }

    const Plan& plan_;
    const LayoutHints hints_;
    const std::int64_t size_;
    const Dims kept_, reduced_;
    const bool one_by_one_;
    const Packing packing_;
    std::optional<MaskedElements> masked_;
    const std::int64_t together_;
};

}  // namespace

void reduce_packed(const Plan& plan, const LayoutHints& hints, const Target* targets, std::size_t count) {
    const PackedSets sets(plan, hints);
    const SharedWork work(sets.bytes(), threaded_bytes, brief_bytes);
    for_each_batch(plan.kept_count, sets.together(), work.threads,
                   [&](std::int64_t first, std::int64_t n) { sets.reduce(first, n, targets, count); });
}

}  // namespace samesum
