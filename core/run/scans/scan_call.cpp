#include "run/scans/scan_call.hpp"

#include <bit>

#include "arithmetic/rounding.hpp"
#include "exact/totals/wide_scan.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/stream.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

std::uint64_t initial_bits(Combine combine, Format format) {
    if (combine == Combine::sum) return 0;
    return is_float(format) ? round_bits(1, format) : 1;
}

bool is_streamed(const ScanPlan& plan) {
    return plan.elements() * plan.result() >= streamed_bytes &&
           (plan.columns ? plan.inner.out : plan.axis.out) == plan.result();
}

}  // namespace

const ScanMethod& scan_method(Combine combine, Format in, Format out) {
    const bool sum = combine == Combine::sum;
    const ScanMethods& scans = *current_instruction_set().scans;
    const ProductMethods& products = *current_instruction_set().products;
    if (is_float(in)) {
        const std::size_t from = static_cast<std::size_t>(in), to = static_cast<std::size_t>(out);
        return (sum ? scans.real : products.scan_real)[from][to];
    }
    if (is_float(out)) return sum ? wide_scan_method(in) : deferred_scan_method();
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    return sum ? scans.modular[index][std::countr_zero(size_of(out))] : products.scan_modular[index];
}

int threads_for(const ScanPlan& plan) {
    return plan.bytes() >= (plan.columns ? scan_threaded_columns_bytes : scan_threaded_bytes) ? thread_count()
                                                                                              : 1;
}

ScanCall::ScanCall(Combine how, const ScanPlan& where)
    : combine(how),
      plan(where),
      method(scan_method(how, where.in, where.format)),
      initial(initial_bits(how, where.format)),
      streams(is_streamed(where)) {}

void ScanCall::put(const char* results, std::size_t n, char* to, std::int64_t stride) const {
    const std::size_t size = size_of(plan.format);
    if (streams)
        stream(to, results, n * size);
    else
        scatter(results, n, size, to, stride);
}

void ScanCall::write_initial(char* first_prefix, std::int64_t lines) const {
    if (!plan.has_initial) return;
    char* const p = first_prefix - plan.axis.out;
    for (std::int64_t k = 0; k < lines; ++k)
        store_bits(p + k * plan.inner.out, 0, initial, size_of(plan.format));
}

void ScanCall::add_failures(const char* in, char* out, std::int64_t from, const std::uint8_t* failed,
                            std::int64_t n, std::int64_t step) {
    std::int64_t first = 0, last = n;
    while (first < n && !failed[first * step]) ++first;
    if (first == n) return;
    while (!failed[(last - 1) * step]) --last;
    failures.add({in, out, from + first, from + last});
}

}  // namespace samesum
