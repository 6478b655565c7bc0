#include "contractions/plan.hpp"

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

bool finish_few_terms(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t first,
                      std::size_t count) {
    const Contraction& call = plan.call;
    const ContractionOperand &a = call.a, &b = call.b, &c = call.c, &out = call.out;
    const std::size_t terms = plan.terms, last = strip.first + strip.count;
    // A sum goes through an addition for each term. (Lemma 85)
    const double factor = static_cast<double>(terms + 3) * unit_roundoff * bound_slack;
    double rows[4 * contraction_block], factors[4], addends[4];
    char* places[4];
    for (std::size_t r = first, now; r < first + count; r += now) {
        const std::size_t left = first + count - r;
        now = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (std::size_t i = 0; i < now; ++i) {
            double* const row = rows + i * terms;
            plan.methods.gather(
                {a.data + a.batch[strip.g], &a.outer[r + i], a.inner.data(), 1, terms, a.format}, Format::f64,
                row);
            factors[i] = 0;
            for (std::size_t k = 0; k < terms; ++k) factors[i] += row[k] * row[k];
            take_norms(factors + i, 1);
            factors[i] *= factor;
            addends[i] = 0;
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
            if (!plan.methods.finish_few_terms(
                    {b.data + b.batch[strip.g], b.outer.data() + n, b.inner.data(), end - n, terms, b.format},
                    {rows, now, factors, addends, places}))
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
