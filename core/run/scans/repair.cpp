#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/products/product.hpp"
#include "kernels/instruction_set.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan_call.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

std::vector<Failures::Span> Failures::take() {
    const auto before = [](const Span& a, const Span& b) {
        return std::pair(a.out, a.first) < std::pair(b.out, b.first);
    };
    // As one thread mostly found them.
    if (!std::is_sorted(spans_.begin(), spans_.end(), before))
        std::sort(spans_.begin(), spans_.end(), before);
    // What was scanned by two ways may have failed in both.
    std::vector<Span> all;
    for (const Span& span : spans_) {
        if (!all.empty() && all.back().out == span.out && span.first <= all.back().last)
            all.back().last = std::max(all.back().last, span.last);
        else
            all.push_back(span);
    }
    spans_.clear();
    return all;
}

namespace {

// The elements of one line, some at a time, side by side in native byte order.
class LineElements {
  public:
    static constexpr std::size_t most = triple_elements;

    LineElements(const ScanPlan& plan, const char* in) : plan_(plan), in_(in) {}

    Format format() const { return plan_.in; }

    // n <= most elements from number i on, until the next call.
    const char* at(std::int64_t i, std::size_t n) {
        const std::int64_t end = i + static_cast<std::int64_t>(n);
        if (i / elements_between_questions != end / elements_between_questions && interruption_requested())
            throw Interrupted{};
        return plan_.elements_at(in_ + i * plan_.axis.in, plan_.axis.in, n, room_);
    }

  private:
    const ScanPlan& plan_;
    const char* const in_;
    alignas(64) char room_[most * 8];
};

constexpr std::int64_t block = static_cast<std::int64_t>(scan_elements);

// The prefix sums of a line, later and later ones.
class Sums {
  public:
    Sums(const ScanPlan& plan, const char* in, int) : elements_(plan, in) {}

    // Of the elements up to number i.
    std::uint64_t through(std::int64_t i, const Finish& how) {
        for (; is_float(elements_.format()) && at_ + block <= i; at_ += block)
            add_block(total_, elements_.at(at_, scan_elements), scan_elements, elements_.format());
        const std::size_t rest = static_cast<std::size_t>(i + 1 - at_);
        add_elements(total_, elements_.at(at_, rest), rest, elements_.format());
        at_ = i + 1;
        record(Route::repaired_sums);
        return total_.rounded(how.format);
    }

    // Where the latest one may change.
    std::int64_t same_until(std::int64_t last) {
        if (total_.is_nan()) return last;
        while (!total_.is_finite() && at_ < last) {
            const std::size_t n = std::min(scan_elements, static_cast<std::size_t>(last - at_));
            const std::size_t same =
                elements_without_effect(total_, elements_.at(at_, n), n, elements_.format());
            at_ += static_cast<std::int64_t>(same);
            if (same < n) break;
        }
        return at_;
    }

  private:
    LineElements elements_;
    RunningTotal total_;
    std::int64_t at_ = 0;
};

// The prefix products of a line, later and later ones.
class Products {
  public:
    Products(const ScanPlan& plan, const char* in, int threads)
        : plan_(plan),
          in_(in),
          threads_(threads),
          elements_(plan, in),
          one_(is_float(plan.in) ? round_bits(1, plan.in) : 1),
          is_near_(is_float(plan.in)) {}

    // Of the elements up to number i.
    std::uint64_t through(std::int64_t i, const Finish& how) {
        const bool follows = exact_at_ == i;
        if (is_near_ && !follows) {
            if (const auto bits = near_through(i, how.format)) {
                record(Route::repaired_near_products);
                return *bits;
            }
        }
        if (follows && i > 0 && is_one(elements_.at(i, 1))) {
            ++exact_at_;
            return rounded_;
        }
        for (; exact_at_ <= i && !exact_.is_nan(); ++exact_at_)
            multiply_element(exact_, elements_.at(exact_at_, 1), plan_.in);
        record(Route::repaired_products);
        return rounded_ = exact_.rounded(how);
    }

    std::int64_t same_until(std::int64_t last) const { return exact_.is_nan() ? last : 0; }

  private:
    bool is_one(const char* element) const { return std::memcmp(element, &one_, size_of(plan_.in)) == 0; }

    std::optional<std::uint64_t> near_through(std::int64_t i, Format format) {
        is_near_ = multiply_shares(i + 1) && multiply(near_, elements_, near_at_, i + 1);
        near_at_ = i + 1;
        return is_near_ ? near_.rounded(format) : std::nullopt;
    }

    // Elements below number `last` as far as they fill shares for the threads;
    // false if one is no number.
    bool multiply_shares(std::int64_t last) {
        constexpr std::int64_t share = static_cast<std::int64_t>(triple_elements);
        const std::int64_t shares = (last - near_at_) / share;
        if (shares == 0) return true;
        std::vector<NearProduct> products(static_cast<std::size_t>(shares));
        std::atomic<bool> is_near = true;
        auto task = [&](std::size_t t, std::size_t) {
            LineElements elements(plan_, in_);
            const std::int64_t first = near_at_ + static_cast<std::int64_t>(t) * share;
            if (!multiply(products[t], elements, first, first + share)) is_near = false;
        };
        for_each_task(products.size(), threads_, task);
        for (const NearProduct& product : products) near_.multiply(product);
        near_at_ += shares * share;
        return is_near;
    }

    static bool multiply(NearProduct& product, LineElements& elements, std::int64_t first,
                         std::int64_t last) {
        const auto triple =
            current_instruction_set().products->triple[static_cast<std::size_t>(elements.format())];
        constexpr std::int64_t block = static_cast<std::int64_t>(LineElements::most);
        TripleLanes lanes;
        for (; first + block <= last; first += block) {
            const std::size_t count = triple(elements.at(first, LineElements::most), lanes);
            if (count == 0) break;
            product.multiply(lanes, count);
        }
        for (; first < last; first += block) {
            const std::size_t n = static_cast<std::size_t>(std::min(block, last - first));
            if (!product.multiply(elements.at(first, n), n, elements.format())) return false;
        }
        return true;
    }

    const ScanPlan& plan_;
    const char* const in_;
    const int threads_;
    LineElements elements_;
    Product exact_;
    NearProduct near_;
    const std::uint64_t one_;
    std::uint64_t rounded_ = 0;  // the latest exact one
    std::int64_t exact_at_ = 0, near_at_ = 0;
    bool is_near_;  // no element was anything but an ordinary number
};

template <class Prefixes>
void repair_spans(const ScanPlan& plan, const Failures::Span* first, const Failures::Span* last,
                  int threads) {
    const Finish how{Finalize::itself, plan.format, 1};
    const std::size_t size = size_of(plan.format);
    Prefixes prefixes(plan, first->in, threads);
    for (; first < last; ++first) {
        for (std::int64_t i = first->first; i < first->last;) {
            const std::uint64_t bits = prefixes.through(i, how);
            store_bits(first->out + i * plan.axis.out, 0, bits, size);
            const std::int64_t end = prefixes.same_until(first->last);
            for (++i; i < end; ++i) store_bits(first->out + i * plan.axis.out, 0, bits, size);
        }
        counters.scan_exact += static_cast<std::uint64_t>(first->last - first->first);
    }
}

}  // namespace

// Threads share the lines, or one line of products.
void repair(Combine combine, const ScanPlan& plan, Failures& failures, int threads) {
    const std::vector<Failures::Span> spans = failures.take();
    if (spans.empty()) return;
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i == 0 || spans[i].out != spans[i - 1].out) starts.push_back(i);
    }
    starts.push_back(spans.size());
    const std::size_t lines = starts.size() - 1;
    auto task = [&](std::size_t t, std::size_t) {
        const Failures::Span* const first = spans.data() + starts[t];
        const Failures::Span* const last = spans.data() + starts[t + 1];
        if (combine == Combine::product)
            repair_spans<Products>(plan, first, last, lines > 1 ? 1 : threads);
        else
            repair_spans<Sums>(plan, first, last, 1);
    };
    if (lines == 1) return task(0, 0);
    for_each_task(lines, threads, task);
}

}  // namespace samesum
