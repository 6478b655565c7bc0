#include "run/scans/scan_target.hpp"

#include "arithmetic/rounding.hpp"
#include "layout/copy.hpp"
#include "layout/stream.hpp"

namespace samesum {

namespace {

std::uint64_t initial_bits(Combine combine, Format format) {
    if (combine == Combine::sum) return 0;
    return is_float(format) ? round_bits(1, format) : 1;
}

bool is_streamed(const ScanPlan& plan) {
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format));
    const std::int64_t count = plan.lines.count() * (plan.columns ? plan.inner.size : 1) * plan.axis.size;
    return count * size >= streamed_bytes && (plan.columns ? plan.inner.out : plan.axis.out) == size;
}

}  // namespace

ScanTarget::ScanTarget(Combine combine, const ScanPlan& plan)
    : plan_(plan), initial_(initial_bits(combine, plan.format)), streams_(is_streamed(plan)) {}

void ScanTarget::write_initial(char* first_prefix, std::int64_t columns) const {
    if (!plan_.has_initial) return;
    char* p = first_prefix - plan_.axis.out;
    for (std::int64_t j = 0; j < columns; ++j)
        store_bits(p + j * plan_.inner.out, 0, initial_, size_of(plan_.format));
}

void ScanTarget::put(const char* results, std::size_t n, char* to, std::int64_t stride) const {
    const std::size_t size = size_of(plan_.format);
    if (streams_)
        stream(to, results, n * size);
    else
        scatter(results, n, size, to, stride);
}

}  // namespace samesum
