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

void pack_panels(const ContractionPlan& plan, const ContractionStrip& strip, std::size_t begin,
                 std::size_t end) {
    const ContractionOperand& b = plan.call.b;
    const ContractionMethod& method = plan.method;
    const std::size_t most = method.columns, last = std::min(end * most, strip.count);
    if (plan.is_real) std::fill_n(strip.norms + begin * most, (end - begin) * most, 0);
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
    for (std::size_t j = begin * most; plan.is_real && j < last; ++j)
        strip.norms[j] = std::sqrt(strip.norms[j]);
}

}  // namespace samesum
