#include "run/windows/gathered.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "layout/copy.hpp"
#include "run/reduce/finish.hpp"
#include "run/tiles.hpp"
#include "run/windows/windows.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Short sets are divided by their count: rows of zeros make it the divisor.
std::int64_t rows_of(const Reduction& row, std::int64_t count, std::int64_t divisor) {
    const bool is_short = divisor <= static_cast<std::int64_t>(short_elements);
    return row.finalize == Finalize::over_count && is_short ? std::max(count, divisor) : count;
}

}  // namespace

GatheredSets::GatheredSets(const Reduction& row, Format in, Format out, std::int64_t count,
                           std::int64_t divisor, std::int64_t least_together)
    : row_(row),
      in_(in),
      count_(count),
      rows_(rows_of(row, count, divisor)),
      size_(size_of(in)),
      tiers_(choose_tiers(row, in, out, rows_)),
      how_{row.finalize, out, row.finalize == Finalize::over_count ? divisor : count, row.correction} {
    const std::int64_t most = gathered_set_bytes / (rows_ * static_cast<std::int64_t>(size_));
    together_ = std::max(least_together, most);
    if (how_.count != rows_) tiers_.at_once = nullptr;
}

void GatheredSets::reduce(char* elements, std::int64_t n, void* out) const {
    const std::size_t row_bytes = static_cast<std::size_t>(n) * size_;
    if (rows_ > count_)
        std::memset(elements + static_cast<std::size_t>(count_) * row_bytes, 0,
                    static_cast<std::size_t>(rows_ - count_) * row_bytes);
    const bool rows = are_rows();
    const std::int64_t shape[] = {rows ? rows_ : n, rows ? n : rows_};
    const std::int64_t item = static_cast<std::int64_t>(size_), strides[] = {shape[1] * item, item};
    const bool reduced[] = {rows, !rows};
    LayoutHints hints;
    hints.ordered = is_position(row_.combine);
    const Target target{tiers_, how_, static_cast<char*>(out)};
    run_job(plan_reduction({elements, 2, shape, strides, in_, false}, reduced, hints), &target, 1);
}

namespace {

Packing packing_of(const View& x) {
    Dims dims;
    for (int i = 0; i < x.rank; ++i)
        if (x.shape[i] != 1) dims.push({x.shape[i], x.strides[i], 0});
    return {dims, size_of(x.format), x.swapped};
}

}  // namespace

void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out) {
    record(Route::terms);
    const View& first = terms[0];
    const auto count = static_cast<std::int64_t>(n);
    const GatheredSets sets(row, first.format, format, count, count, least_gathered_terms);
    std::vector<Packing> packings;
    for (std::size_t k = 0; k < n; ++k) packings.push_back(packing_of(terms[k]));
    std::int64_t places = 1;
    for (int i = 0; i < first.rank; ++i) places *= first.shape[i];
    const auto in_bytes = static_cast<std::int64_t>(size_of(first.format)),
               out_bytes = static_cast<std::int64_t>(size_of(format));
    const std::int64_t bytes = places * count * in_bytes;
    const auto take = [&](std::int64_t begin, std::int64_t now) {
        const Scratch room(sets.bytes()), some(static_cast<std::size_t>(now * in_bytes));
        for (std::size_t k = 0; k < n; ++k) {
            const std::int64_t at = static_cast<std::int64_t>(k);
            if (sets.are_rows()) {
                packings[k].copy(terms[k].data, begin, now, room.get() + at * now * in_bytes);
                continue;
            }
            packings[k].copy(terms[k].data, begin, now, some.get());
            copy_elements(some.get(), in_bytes, room.get() + at * in_bytes, count * in_bytes,
                          static_cast<std::size_t>(now), static_cast<std::size_t>(in_bytes), false);
        }
        sets.reduce(room.get(), now, static_cast<char*>(out) + begin * out_bytes);
    };
    const SharedWork work(bytes, threaded_bytes, brief_bytes);
    for_each_batch(places, sets.together(), work.threads, take);
}

}  // namespace samesum
