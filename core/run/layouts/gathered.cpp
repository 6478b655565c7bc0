#include "run/layouts/gathered.hpp"

#include <algorithm>
#include <cstring>

#include "run/reduce/finish.hpp"

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
    Manner manner;
    manner.ordered = is_position(row_.combine);
    const Target target{tiers_, how_, static_cast<char*>(out)};
    run_job(plan_reduction({elements, 2, shape, strides, in_, false}, reduced, manner), &target, 1);
}

}  // namespace samesum
