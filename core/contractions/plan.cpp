#include "contractions/plan.hpp"

#include <cmath>
#include <cstdint>

#include "arithmetic/rounding.hpp"
#include "select/contraction_thresholds.hpp"

namespace samesum {

std::vector<std::size_t> ContractionPlan::ends_of_runs() const {
    if (!is_real || static_cast<std::int64_t>(rows) > contraction_few_rows) return {};
    std::vector<std::size_t> ends(columns, columns);
    const std::vector<std::int64_t>& places = call.b.outer;
    for (std::size_t j = columns - 1; j > 0; --j)
        ends[j - 1] =
            places[j] - places[j - 1] == static_cast<std::int64_t>(size_of(call.b.format)) ? ends[j] : j;
    return ends;
}

ContractionPlan::Way ContractionPlan::chosen_way() const {
    if (run_ends.empty() || terms == 0) return Way::packed;
    const std::size_t least = static_cast<std::size_t>(contraction_least_run);
    std::size_t runs = 0;
    for (std::size_t j = 0; j < columns; j = run_ends[j]) ++runs;
    if (columns >= runs * least) return Way::columns;
    const bool lies = are_neighbours(call.b.inner.data(), terms, size_of(call.b.format));
    return terms >= least && lies ? Way::terms : Way::packed;
}

bool ContractionPlan::fits_few_terms() const {
    const std::vector<std::int64_t>&places = call.out.inner, &addends = call.c.inner;
    if (call.out.format != call.b.format || call.alpha != 1 || (call.beta != 0 && call.beta != 1))
        return false;
    for (std::size_t j = 1; j < columns; ++j) {
        const bool follows = places[j] - places[j - 1] == static_cast<std::int64_t>(size_of(call.out.format));
        if ((!follows && run_ends[j - 1] != j) || (call.c.data != nullptr && addends[j] != addends[0]))
            return false;
    }
    return true;
}

namespace {

// So many elements in double are near.
constexpr std::size_t near_elements = 4096;

// The columns of a strip in double: all elements from the first that one of them has to the last. None, where
// these are not near, are more than the terms of all columns, or others lie between them.
class NearColumns {
  public:
    NearColumns(const ContractionPlan& plan, const ContractionStrip& strip)
        : outer_(plan.call.b.outer), size_(static_cast<std::int64_t>(size_of(plan.call.b.format))) {
        const ContractionOperand& b = plan.call.b;
        const auto [least, most] = std::minmax_element(b.inner.begin(), b.inner.end());
        const std::size_t last = strip.first + strip.count;
        std::int64_t begin = outer_[strip.first], end = begin, between = 0;
        for (std::size_t n = strip.first; n < last; n = plan.run_ends[n]) {
            begin = std::min(begin, outer_[n]);
            end = std::max(end, outer_[std::min(plan.run_ends[n], last) - 1]);
            between |= outer_[n] - outer_[strip.first];
        }
        for (const std::int64_t place : b.inner) between |= place - *least;
        const std::size_t count = static_cast<std::size_t>((end - begin + *most - *least) / size_) + 1;
        if (count > near_elements || count > plan.terms * strip.count || between % size_ != 0) return;
        begin_ = begin;
        greatest_ =
            plan.methods.widen(b.data + b.batch[strip.g] + begin + *least, count, b.format, elements_);
        for (std::size_t k = 0; k < plan.terms; ++k) terms_[k] = widened(b.inner[k] - *least);
    }

    double greatest() const { return greatest_; }

    // Those from number n on.
    OperandPart part(const std::int64_t& row, std::size_t count, std::size_t terms) const {
        return {reinterpret_cast<const char*>(elements_), &row, terms_, count, terms, Format::f64};
    }
    std::int64_t place(std::size_t n) const { return widened(outer_[n] - begin_); }

  private:
    std::int64_t widened(std::int64_t bytes) const {
        return bytes * (static_cast<std::int64_t>(sizeof(double)) / size_);
    }

    const std::vector<std::int64_t>& outer_;
    const std::int64_t size_;
    std::int64_t begin_ = 0, terms_[contraction_block];
    double greatest_ = HUGE_VAL;
    alignas(64) double elements_[near_elements];
};

}  // namespace

bool finish_few_terms(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t first,
                      std::size_t count) {
    const Contraction& call = plan.call;
    const ContractionOperand &a = call.a, &b = call.b, &c = call.c, &out = call.out;
    const std::size_t terms = plan.terms, last = strip.first + strip.count;
    const NearColumns near(plan, strip);
    // A sum begins with the addend, and goes through an addition for each term. (Lemma 85)
    const double factor = static_cast<double>(terms + 4) * unit_roundoff * bound_slack;
    double rows[4 * contraction_block], norms[4], sizes[4], addends[4];
    char* places[4];
    for (std::size_t r = first, now; r < first + count; r += now) {
        const std::size_t left = first + count - r;
        now = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (std::size_t i = 0; i < now; ++i) {
            double* const row = rows + i * terms;
            plan.methods.gather(
                {a.data + a.batch[strip.g], &a.outer[r + i], a.inner.data(), 1, terms, a.format}, Format::f64,
                row);
            norms[i] = sizes[i] = addends[i] = 0;
            for (std::size_t k = 0; k < terms; ++k)
                norms[i] += row[k] * row[k], sizes[i] += std::fabs(row[k]);
            take_norms(norms + i, 1);
            if (c.data != nullptr)
                plan.methods.gather(
                    {c.data + c.batch[strip.g], &c.outer[r + i], c.inner.data(), 1, 1, c.format}, Format::f64,
                    addends + i);
        }
        for (std::size_t n = strip.first, end; n < last; n = end) {
            end = std::min(plan.run_ends[n], last);
            for (std::size_t i = 0; i < now; ++i)
                places[i] =
                    const_cast<char*>(out.data) + out.batch[strip.g] + out.outer[r + i] + out.inner[n];
            const std::int64_t place = near.place(n);
            const OperandPart part =
                near.greatest() < HUGE_VAL
                    ? near.part(place, end - n, terms)
                    : OperandPart{
                          b.data + b.batch[strip.g], &b.outer[n], b.inner.data(), end - n, terms, b.format};
            if (!plan.methods.finish_few_terms(
                    part, {rows, now, norms, sizes, addends, near.greatest(), factor, places, b.format}))
                return false;
        }
    }
    return true;
}

void pack_panels(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t begin,
                 std::size_t end) {
    const ContractionOperand& b = plan.call.b;
    const ContractionMethod& method = plan.method;
    const std::size_t most = method.columns, last = std::min(end * most, strip.count);
    if (begin * most >= last) return;
    const std::size_t count = last - begin * most;
    if (plan.is_real) std::fill_n(strip.norms + begin * most, rounded_up(count, most), 0);
    for (std::size_t k = 0; k < plan.terms; k += contraction_block) {
        const std::size_t terms = std::min(contraction_block, plan.terms - k);
        for (std::size_t j = begin * most; j < last; j += most) {
            char* const to = strip.panels + j / most * plan.panel_bytes + k * most * method.column_size;
            method.pack_columns({b.data + b.batch[strip.g], b.outer.data() + strip.first + j,
                                 b.inner.data() + k, std::min(most, strip.count - j), terms, b.format},
                                to);
            if (plan.is_real) plan.methods.column_squares(to, terms, strip.norms + j);
        }
    }
    if (plan.is_real) take_norms(strip.norms + begin * most, count);
}

}  // namespace samesum
