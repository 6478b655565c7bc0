#include "run/layouts/reordered.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/short_method.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "select/layout_thresholds.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// A copy of elements from places `in` bytes apart to places `out` elements apart.
class Permutation {
  public:
    Permutation(const char* from, const Dims& dims, std::size_t size, char* to)
        : from_(from), to_(to), size_(size), item_(static_cast<std::int64_t>(size)) {
        for (int i = 0; i < dims.rank; ++i)
            if (dims.dim[i].size > 1) dims_.push(forward(dims.dim[i]));
        std::sort(dims_.dim, dims_.dim + dims_.rank,
                  [](const Dim& a, const Dim& b) { return a.out > b.out; });
        merge_neighbours(dims_);
        count_ = dims_.count();
    }

    void run() const {
        if (dims_.rank > 0 && dims_.dim[dims_.rank - 1].out != 1) return copy_apart();
        for (int i = 0; i + 1 < dims_.rank; ++i)
            if (dims_.dim[i].in == item_) return transpose(i);
        copy_runs();
    }

  private:
    Dim forward(const Dim& d) {
        if (d.out > 0) return d;
        from_ += d.in * (d.size - 1);
        to_ += d.out * (d.size - 1) * item_;
        return {d.size, -d.in, -d.out};
    }

    // Results that follow one another, as many dimensions of them as leave no gaps: of a part there may be
    // some.
    void copy_runs() const {
        Dims outer = dims_, run;
        std::int64_t n = 1;
        while (outer.rank > 0 && outer.dim[outer.rank - 1].out == n) n *= outer.dim[--outer.rank].size;
        for (int i = outer.rank; i < dims_.rank; ++i) run.push(dims_.dim[i]);
        const Packing packing(run, size_, false);
        each_block(outer, n, copied_run_elements, [&](Offsets at, std::int64_t first, std::int64_t some) {
            packing.copy(from_ + at.in, first, some, to_ + (at.out + first) * item_);
        });
    }

    // No two results are neighbours.
    void copy_apart() const {
        Dims outer = dims_;
        const Dim run = outer.dim[--outer.rank];
        each_block(outer, run.size, copied_run_elements,
                   [&](Offsets at, std::int64_t first, std::int64_t some) {
                       copy_elements(from_ + at.in + first * run.in, run.in,
                                     to_ + (at.out + first * run.out) * item_, run.out * item_,
                                     static_cast<std::size_t>(some), size_, false);
                   });
    }

    // take(place of the run, number of its first element, elements) of all runs of n.
    template <class Take>
    void each_block(const Dims& outer, std::int64_t n, std::int64_t most, const Take& take) const {
        const std::int64_t blocks = (n + most - 1) / most;
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t block = static_cast<std::int64_t>(t), first = block % blocks * most;
            take(offsets_at(outer, block / blocks), first, std::min(most, n - first));
        };
        for_each_task(static_cast<std::size_t>(outer.count() * blocks), threads(), task);
    }

    int threads() const { return threads_for(count_ * item_, threaded_bytes); }

    // Elements that follow one another in dimension `lead` of the source, and in the last one of the results.
    void transpose(int lead) const {
        Dims outer = dims_;
        const Dim side = dims_.dim[lead], run = outer.dim[--outer.rank];
        std::copy(outer.dim + lead + 1, outer.dim + outer.rank, outer.dim + lead);
        --outer.rank;
        // A line of the cache, and as many lines as stay in it.
        const std::int64_t sides = std::max<std::int64_t>(64 / item_, least_square_elements),
                           runs = square_lines;
        const std::int64_t across = (side.size + sides - 1) / sides, along = (run.size + runs - 1) / runs;
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t block = static_cast<std::int64_t>(t), k = block / along % across * sides,
                               r = block % along * runs;
            const Offsets at = offsets_at(outer, block / along / across);
            const Dim some_sides{std::min(sides, side.size - k), side.in, side.out},
                some_runs{std::min(runs, run.size - r), run.in, run.out};
            const char* const from = from_ + at.in + k * side.in + r * run.in;
            char* const to = to_ + (at.out + k * side.out + r) * item_;
            put_square(from, some_sides, some_runs, to);
        };
        for_each_task(static_cast<std::size_t>(outer.count() * across * along), threads(), task);
    }

    void put_square(const char* from, const Dim& side, const Dim& run, char* to) const {
        const AnyToColumns any = current_instruction_set().transposes->any[std::countr_zero(size_)];
        any(from, run.in / item_, static_cast<std::size_t>(side.size), static_cast<std::size_t>(run.size), to,
            static_cast<std::size_t>(side.out));
    }

    const char* from_;
    char* to_;
    Dims dims_;
    const std::size_t size_;
    const std::int64_t item_;
    std::int64_t count_;
};

}  // namespace

Reordered::Reordered(const View& x, const bool* reduced) : x_(x) {
    std::int64_t next = 1;
    int at = x.rank;
    for (int i = x.rank; i-- > 0;) {
        if (reduced[i]) {
            shape_[--at] = x.shape[i];
            strides_[at] = x.strides[i];
            mask_strides_[at] = x.mask_stride(i);
            continue;
        }
        Dim d{x.shape[i], x.strides[i], next, x.mask_stride(i)};
        next *= d.size;
        if (d.in < 0) {
            x_.data += d.in * (d.size - 1);
            first_ += d.out * (d.size - 1);
            if (x_.mask != nullptr) x_.mask += d.mask * (d.size - 1);
            d = {d.size, -d.in, -d.out, -d.mask};
        }
        places_.push(d);
    }
    std::stable_sort(places_.dim, places_.dim + places_.rank, [](const Dim& a, const Dim& b) {
        return a.in != 0 && b.in != 0 ? a.in > b.in : a.in == 0 && b.in != 0;  // repeated ones first
    });
    for (int i = 0; i < places_.rank; ++i) {
        shape_[i] = places_.dim[i].size;
        strides_[i] = places_.dim[i].in;
        mask_strides_[i] = places_.dim[i].mask;
        if (shape_[i] > shape_[longest_]) longest_ = i;
    }
    for (int i = 0; i < x.rank; ++i) reduced_[i] = i >= places_.rank;
    x_.shape = shape_;
    x_.strides = strides_;
    x_.mask_strides = mask_strides_;
}

std::int64_t Reordered::parts(std::size_t bytes_of_result) const {
    const std::int64_t bytes = places_.count() * static_cast<std::int64_t>(bytes_of_result);
    return std::min((bytes + reordered_bytes - 1) / reordered_bytes, places_.dim[longest_].size);
}

std::int64_t Reordered::most_results(std::int64_t n) const {
    const std::int64_t size = places_.dim[longest_].size;
    return places_.count() / size * ((size + n - 1) / n);
}

View Reordered::part(std::int64_t i, std::int64_t n) {
    const Dim& longest = places_.dim[longest_];
    begin_ = longest.size * i / n;
    shape_[longest_] = longest.size * (i + 1) / n - begin_;
    View view = x_;
    view.data += begin_ * longest.in;
    if (view.mask != nullptr) view.mask += begin_ * longest.mask;
    return view;
}

void Reordered::put(const char* results, Format format, void* out) const {
    const std::int64_t size = static_cast<std::int64_t>(size_of(format));
    Dims dims = places_;
    dims.dim[longest_].size = shape_[longest_];
    std::int64_t in = size;
    for (int i = dims.rank; i-- > 0; in *= dims.dim[i].size)
        dims.dim[i] = {dims.dim[i].size, in, dims.dim[i].out};
    const std::int64_t first = first_ + begin_ * places_.dim[longest_].out;
    Permutation(results, dims, size_of(format), static_cast<char*>(out) + first * size).run();
}

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
