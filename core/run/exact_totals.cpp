#include "run/exact_totals.hpp"

#include <algorithm>
#include <mutex>

#include "exact/rounding.hpp"
#include "kernels/exact_blocks.hpp"
#include "run/accumulate.hpp"
#include "run/exact_sums.hpp"
#include "run/exact_words.hpp"
#include "threads/pool.hpp"
#include "threads/thresholds.hpp"

namespace samesum {

namespace {

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
    return is_float(in_) ? exact_sum_method(in_, map_) : wide_method(in_, map_);
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

void ExactTotals::round_moments(const ExactTotals& squares, const Moment& how, const std::int64_t* counts,
                                void* to) const {
    const FloatingPointScope scope;
    for (std::size_t j = 0; j < static_cast<std::size_t>(outputs_); ++j) {
        const Moment moment{how.kind, how.format, counts[j], how.correction};
        store_bits(to, j,
                   is_float(in_) ? rounded_moment(real_[j], squares.real_[j], moment)
                                 : rounded_moment(whole_[j], squares.whole_[j], moment),
                   size_of(how.format));
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

}  // namespace samesum
