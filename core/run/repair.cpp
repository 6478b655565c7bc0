#include "run/repair.hpp"

#include <algorithm>
#include <utility>

#include "exact/elements.hpp"
#include "exact/product.hpp"
#include "exact/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "run/reduce.hpp"
#include "threads/pool.hpp"

namespace samesum {

std::vector<Failures::Span> Failures::take() {
    std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
        return std::pair(a.out, a.first) < std::pair(b.out, b.first);
    });
    return std::move(spans_);
}

namespace {

// A line can take seconds: so many elements between two questions whether to go on.
constexpr std::int64_t elements_between_questions = 1 << 16;

void take(Superaccumulator& total, const void* p, Format format) { add_element(total, p, format); }
void take(Product& total, const void* p, Format format) { multiply_element(total, p, format); }

void take_all(Superaccumulator& total, const char* x, std::size_t n, Format format) {
    for (std::size_t i = 0; i < n; ++i) add_element(total, x + i * size_of(format), format);
}

// Adds whole blocks before the span, in which `total` holds the elements before `at`. The total of a block of
// floats is nearly always exact in two words.
std::int64_t add_blocks(const ScanPlan& plan, const Failures::Span& span, std::int64_t at,
                        Superaccumulator& total) {
    if (!is_float(plan.in)) return at;
    const std::size_t in = static_cast<std::size_t>(plan.in);
    const ScanMethod& method = current_instruction_set().scans->real[in][in];
    constexpr std::int64_t block = static_cast<std::int64_t>(scan_elements);
    for (std::int64_t done = 0; at + block <= span.first; at += block, done += block) {
        if (done % elements_between_questions == 0 && interruption_requested()) throw Interrupted{};
        alignas(64) char x[scan_elements * 8];
        gather(span.in + at * plan.axis.in, plan.axis.in, scan_elements, size_of(plan.in), plan.swapped, x);
        const Sum sum = method.total(x, scan_elements).sum;
        if (sum.bound == 0 && magnitude(sum.hi) < __builtin_huge_val()) {
            add_element(total, &sum.hi, Format::f64);
            add_element(total, &sum.lo, Format::f64);
        } else {
            take_all(total, x, scan_elements, plan.in);
        }
    }
    return at;
}

std::int64_t add_blocks(const ScanPlan&, const Failures::Span&, std::int64_t at, Product&) { return at; }

// `total` holds the elements before `at`.
template <class State>
std::int64_t repair_span(const ScanPlan& plan, const Failures::Span& span, std::int64_t at, State& total) {
    const Finish how{Finalize::itself, plan.format, 1};
    at = add_blocks(plan, span, at, total);
    for (; at < span.last; ++at) {
        if (at % elements_between_questions == 0 && interruption_requested()) throw Interrupted{};
        char element[8];
        gather(span.in + at * plan.axis.in, 0, 1, size_of(plan.in), plan.swapped, element);
        if (!total.is_nan()) take(total, element, plan.in);
        if (at >= span.first)
            store_bits(span.out + at * plan.axis.out, 0, total.rounded(how), size_of(plan.format));
    }
    counters.scan_exact += static_cast<std::uint64_t>(span.last - span.first);
    return at;
}

template <class State>
void repair_lines(const ScanPlan& plan, const std::vector<Failures::Span>& spans, int threads) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i == 0 || spans[i].out != spans[i - 1].out) starts.push_back(i);
    }
    starts.push_back(spans.size());
    auto task = [&](std::size_t t, std::size_t) {
        State total;
        std::int64_t at = 0;
        for (std::size_t i = starts[t]; i < starts[t + 1]; ++i) at = repair_span(plan, spans[i], at, total);
    };
    for_each_task(starts.size() - 1, static_cast<std::size_t>(threads), task);
}

}  // namespace

void repair(Combine combine, const ScanPlan& plan, Failures& failures, int threads) {
    const std::vector<Failures::Span> spans = failures.take();
    if (spans.empty()) return;
    if (combine == Combine::product)
        repair_lines<Product>(plan, spans, threads);
    else
        repair_lines<Superaccumulator>(plan, spans, threads);
}

}  // namespace samesum
