#include "run/scans/scaled_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "run/scans/line_elements.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = static_cast<std::int64_t>(scan_elements);
// Numbers from here on, whose sums have no grid, and those below, which lie off every grid.
constexpr double large = 0x1p900, small = 0x1p-900;
// What these are taken times: sums of 2^64 large ones stay in range.
constexpr double for_large = 0x1p-192, for_small = 0x1p512;
// What a number loses at most where it becomes subnormal. (Lemma 36)
constexpr double least_number = 0x1p-1074;

double at(const char* p, std::size_t k) {
    double x;
    std::memcpy(&x, p + k * sizeof x, sizeof x);
    return x;
}

// NaNs apart.
double greatest_magnitude(LineElements& elements, std::int64_t count) {
    double greatest = 0;
    for (std::int64_t i = 0; i < count; i += block) {
        const std::size_t n = static_cast<std::size_t>(std::min(block, count - i));
        const char* const p = elements.at(i, n);
        for (std::size_t k = 0; k < n; ++k) greatest = std::max(greatest, std::abs(at(p, k)));
    }
    return greatest;
}

class ScaledLine {
  public:
    using Span = Failures::Span;

    ScaledLine(const ScanPlan& plan, const ScanMethod& method, double scale)
        : plan_(plan), method_(method), scale_(scale), carry_(method.identity) {}

    // Returns the spans that are left.
    std::vector<Span> scan(LineElements& elements, const Span* first, const Span* last) {
        std::vector<Span> left;
        const std::int64_t end = (last - 1)->last;
        for (std::int64_t i = 0; i < end; i += block) {
            const std::size_t n = static_cast<std::size_t>(std::min(block, end - i));
            load(elements.at(i, n), n);
            const Carry part = method_.total(scaled_, n);
            if (first->first < i + block) {
                const bool fails = method_.row(carry_, part, scaled_, n, Format::f64, prefixes_, failed_) > 0;
                for (const Span* span = first; span < last && span->first < i + block; ++span)
                    put(*span, i, n, fails, left);
                while (first < last && first->last <= i + block) ++first;
            }
            method_.join(carry_, part);
        }
        return left;
    }

  private:
    void load(const char* p, std::size_t n) {
        const double inverse = 1 / scale_;
        bool is_exact = true;
        for (std::size_t k = 0; k < n; ++k) {
            scaled_[k] = at(p, k) * scale_;
            is_exact &= scaled_[k] * inverse == at(p, k);
        }
        if (!is_exact) carry_.sum.bound += static_cast<double>(n) * least_number;
    }

    // What lies in the span of n prefixes from number i on. They are rounded once: a prefix that is subnormal
    // was exact before, as all sums of numbers that small are.
    void put(const Span& span, std::int64_t i, std::size_t n, bool fails, std::vector<Span>& left) const {
        const std::int64_t first = std::max(span.first, i),
                           last = std::min(span.last, i + static_cast<std::int64_t>(n));
        const double inverse = 1 / scale_;
        char* out = span.out + first * plan_.axis.out;
        for (std::int64_t k = first; k < last; ++k, out += plan_.axis.out) {
            const double prefix = prefixes_[k - i] * inverse;
            std::memcpy(out, &prefix, sizeof prefix);
        }
        for (std::int64_t k = first; fails && k < last; ++k) {
            if (!failed_[k - i]) continue;
            if (left.empty() || left.back().last != k) left.push_back({span.in, span.out, k, k});
            ++left.back().last;
        }
    }

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const double scale_;
    Carry carry_;
    alignas(64) double scaled_[scan_elements], prefixes_[scan_elements];
    std::uint8_t failed_[scan_elements];
};

}  // namespace

std::vector<Failures::Span> scan_scaled(const ScanPlan& plan, const ScanMethod& method,
                                        const Failures::Span* first, const Failures::Span* last) {
    LineElements elements(plan, first->in);
    const double greatest = greatest_magnitude(elements, (last - 1)->last);
    if (greatest >= large || greatest < small) record(Route::repaired_scaled);
    if (greatest >= large) return ScaledLine(plan, method, for_large).scan(elements, first, last);
    if (greatest < small) return ScaledLine(plan, method, for_small).scan(elements, first, last);
    return {first, last};
}

}  // namespace samesum
