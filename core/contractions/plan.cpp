#include "contractions/plan.hpp"

#include <cmath>

#include "select/contraction_thresholds.hpp"

namespace samesum {

bool are_neighbours(const std::int64_t* places, std::size_t n, std::size_t size) {
    for (std::size_t j = 1; j < n; ++j)
        if (places[j] - places[0] != static_cast<std::int64_t>(j * size)) return false;
    return true;
}

ContractionPlan::Way ContractionPlan::chosen_way() const {
    const std::size_t size = size_of(call.b.format), few = static_cast<std::size_t>(contraction_few_rows);
    if (!is_real || rows > few || terms == 0) return Way::packed;
    const std::vector<std::int64_t>& places = call.b.outer;
    std::size_t runs = 1;
    for (std::size_t j = 1; j < columns; ++j)
        runs += places[j] - places[j - 1] != static_cast<std::int64_t>(size);
    if (columns >= runs * static_cast<std::size_t>(contraction_least_run)) return Way::columns;
    const bool is_long = terms >= static_cast<std::size_t>(contraction_least_run);
    return is_long && are_neighbours(call.b.inner.data(), terms, size) ? Way::terms : Way::packed;
}

void pack_panel(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t p) {
    const ContractionOperand& b = plan.call.b;
    const std::size_t most = plan.method.columns, first = p * most;
    if (first >= strip.count) return;
    char* const panel = strip.panels + p * plan.panel_bytes;
    plan.method.pack_columns({b.data + b.batch[strip.g], b.outer.data() + strip.first + first, b.inner.data(),
                              std::min(most, strip.count - first), plan.terms, b.format},
                             panel);
    if (!plan.is_real) return;
    double* const norms = strip.norms + first;
    std::fill_n(norms, most, 0);
    plan.methods.column_squares(panel, plan.terms, norms);
    for (std::size_t j = 0; j < most; ++j) norms[j] = std::sqrt(norms[j]);
}

}  // namespace samesum
