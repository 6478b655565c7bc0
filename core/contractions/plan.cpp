#include "contractions/plan.hpp"

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
