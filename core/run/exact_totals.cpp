#include "run/exact_totals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "exact/elements.hpp"
#include "exact/rounding.hpp"
#include "kernels/exact_blocks.hpp"
#include "kernels/instruction_set.hpp"
#include "run/accumulate.hpp"
#include "run/exact_words.hpp"
#include "threads/pool.hpp"
#include "threads/thresholds.hpp"

namespace samesum {

namespace {

template <Format format, Map map>
struct Blocks {
    static constexpr std::size_t size = size_of(format);
    // Columns that are untangled together, and from one to the next of them, in elements.
    static constexpr std::size_t together = 8, pitch = scan_elements + 8, few_rows = 16;

    static Superaccumulator* states(void* tile) { return static_cast<Superaccumulator*>(tile); }

    static void add_block(Superaccumulator& total, const char* x, std::size_t n) {
        if (total.is_finite()) {
            const auto exact = current_exact_blocks().total[static_cast<std::size_t>(format)];
            const ExactParts parts = exact[static_cast<std::size_t>(map)](x, n);
            if (parts.known) {
                for (const double part : parts.part) add_double(total, part);
                return;
            }
        }
        add_elements<format, map>(total, x, size, n);
    }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n; i += exact_elements)
            add_block(states(tile)[j], p + i * size, std::min(exact_elements, n - i));
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const char* p = static_cast<const char*>(x);
        const bool is_aligned = reinterpret_cast<std::uintptr_t>(p) % size == 0 &&
                                row_stride % static_cast<std::ptrdiff_t>(size) == 0;
        if (rows < few_rows || !is_aligned)
            return exact_method(format, map).columns(tile, x, row_stride, rows, n);
        for (std::size_t r = 0; r < rows; r += scan_elements)
            add_rows(tile, p + static_cast<std::ptrdiff_t>(r) * row_stride, row_stride,
                     std::min(scan_elements, rows - r), n);
    }

    static void add_rows(void* tile, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                         std::size_t n) {
        const auto untangle = current_instruction_set().untangling->any[std::countr_zero(size)];
        alignas(64) char runs[together * pitch * size];
        for (std::size_t j = 0; j < n; j += together) {
            const std::size_t now = std::min(together, n - j);
            untangle(p + j * size, row_stride / static_cast<std::ptrdiff_t>(size), now, rows, runs, pitch);
            for (std::size_t k = 0; k < now; ++k)
                add_block(states(tile)[j + k], runs + k * pitch * size, rows);
        }
    }

    static Method method() {
        Method m = exact_method(format, map);
        m.lanes = each_lane<lane>;
        m.columns = columns;
        return m;
    }
};

template <Format format>
std::array<Method, 3> by_map() {
    return {Blocks<format, Map::itself>::method(), Blocks<format, Map::magnitude>::method(),
            Blocks<format, Map::square>::method()};
}

const Method& block_method(Format format, Map map) {
    static const std::array<Method, 3> methods[] = {by_map<Format::f16>(), by_map<Format::bf16>(),
                                                    by_map<Format::f32>(), by_map<Format::f64>()};
    return methods[static_cast<std::size_t>(format)][static_cast<std::size_t>(map)];
}

// Elements of each set that a task takes, so that there are some tasks for each thread.
std::int64_t slice_of(const Plan& plan, std::size_t parts, std::size_t threads) {
    constexpr std::int64_t least = 16 * static_cast<std::int64_t>(exact_elements);
    const std::int64_t wanted = static_cast<std::int64_t>((8 * threads + parts - 1) / parts);
    if (threads == 1 || wanted <= 1) return plan.reduced_count;
    const std::int64_t slice = (plan.reduced_count + wanted - 1) / wanted;
    return std::max((slice + least - 1) / least, std::int64_t{1}) * least;
}

}  // namespace

ExactTotals::ExactTotals(Format in, Map map, std::int64_t outputs) : in_(in), map_(map), outputs_(outputs) {
    const std::size_t n = static_cast<std::size_t>(outputs);
    if (is_float(in))
        real_.resize(n);
    else
        whole_.resize(n, WholeWords{{0, 0, 0}});
}

const Method& ExactTotals::method() const {
    return is_float(in_) ? block_method(in_, map_) : wide_method(in_, map_);
}

void ExactTotals::add(const View& piece, const bool* reduced) {
    const FloatingPointScope scope;
    const Plan plan = plan_reduction(piece, reduced, {});
    const std::vector<Outputs> parts = parts_of(plan, method().max_columns);
    const std::int64_t bytes = plan.kept_count * plan.reduced_count * static_cast<std::int64_t>(size_of(in_));
    if (bytes == 0) return;
    const std::size_t threads = bytes < threaded_bytes ? 1 : static_cast<std::size_t>(thread_count());
    const std::int64_t slice = slice_of(plan, parts.size(), threads);
    const std::size_t slices = static_cast<std::size_t>((plan.reduced_count + slice - 1) / slice);
    std::mutex joining;
    auto task = [&](std::size_t t, std::size_t) {
        const Outputs& part = parts[t / slices];
        const std::int64_t begin = static_cast<std::int64_t>(t % slices) * slice;
        const TileScope tile;
        open_tile(plan, method(), part.count(), tile.tile());
        accumulate(plan, method(),
                   {part.outer, part.first, part.last, begin, std::min(begin + slice, plan.reduced_count)},
                   tile.tile());
        close_tile(plan, method(), part.count(), tile.tile());
        const std::lock_guard lock(joining);
        for (std::int64_t j = 0; j < part.count(); ++j)
            method().merge(states(), static_cast<std::size_t>(place_of(plan, part, j)), tile.tile(),
                           static_cast<std::size_t>(j), 1);
    };
    for_each_task(parts.size() * slices, threads, task);
}

void ExactTotals::merge(const ExactTotals& other) {
    for (std::size_t j = 0; j < real_.size(); ++j) real_[j].merge(other.real_[j]);
    if (!whole_.empty()) method().merge(whole_.data(), 0, other.whole_.data(), 0, whole_.size());
}

void ExactTotals::round(Finalize finalize, Format out, const std::int64_t* counts, void* to) const {
    const FloatingPointScope scope;
    for (std::size_t j = 0; j < static_cast<std::size_t>(outputs_); ++j) {
        const Finish how{finalize, out, counts[j]};
        const bool is_empty_mean = finalize == Finalize::over_count && counts[j] == 0;
        const std::uint64_t bits = is_empty_mean   ? canonical_nan(out)
                                   : is_float(in_) ? real_[j].rounded(how)
                                                   : rounded_whole(whole_[j], how);
        store_bits(to, j, bits, size_of(out));
    }
}

std::string ExactTotals::encoded() const {
    std::string bytes;
    for (const Superaccumulator& each : real_) encode(each, bytes);
    for (const WholeWords& each : whole_) encode(each, bytes);
    return bytes;
}

bool ExactTotals::decode(const char* from, std::size_t n) {
    const char* const end = from + n;
    const auto read = [&](auto& each) { return samesum::decode(from, end, each); };
    return std::all_of(real_.begin(), real_.end(), read) && std::all_of(whole_.begin(), whole_.end(), read) &&
           from == end;
}

std::vector<std::int64_t> count_at_least(const char* x, std::size_t n, Format format,
                                         const std::vector<std::uint64_t>& threshold) {
    const std::size_t size = size_of(format), index = static_cast<std::size_t>(std::countr_zero(size));
    constexpr std::size_t block_bytes = 16 << 10, task_bytes = 256 << 10;
    const std::size_t tasks = (n * size + task_bytes - 1) / task_bytes;
    std::vector<std::int64_t> counts(threshold.size());
    std::mutex joining;
    auto task = [&](std::size_t t, std::size_t) {
        std::vector<std::int64_t> own(threshold.size());
        const std::size_t begin = t * (task_bytes / size), end = std::min(n, begin + task_bytes / size);
        for (std::size_t i = begin; i < end; i += block_bytes / size)
            current_exact_blocks().count[index](x + i * size, std::min(block_bytes / size, end - i),
                                                threshold.data(), threshold.size(), own.data());
        const std::lock_guard lock(joining);
        for (std::size_t k = 0; k < own.size(); ++k) counts[k] += own[k];
    };
    const bool is_short = static_cast<std::int64_t>(n * size) < threaded_bytes;
    for_each_task(tasks, is_short ? 1 : static_cast<std::size_t>(thread_count()), task);
    return counts;
}

}  // namespace samesum
