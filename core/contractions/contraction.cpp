#include "contractions/contraction.hpp"

#include <algorithm>
#include <cmath>

#include "contractions/tile.hpp"
#include "select/contraction_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

using Offsets = std::vector<std::int64_t>;

bool are_equal(const Offsets& x) {
    return std::all_of(x.begin(), x.end(), [&](auto each) { return each == x[0]; });
}

// Of each element of `first` the elements of `second`.
void join(Offsets& first, Offsets& second) {
    Offsets all;
    all.reserve(first.size() * second.size());
    for (const std::int64_t x : first)
        for (const std::int64_t y : second) all.push_back(x + y);
    second = std::move(all);
    first = {0};
}

// Where one operand is the same in all batches, those of the other one are more of its rows.
void join_batches(Contraction& call) {
    if (call.out.batch.size() == 1) return;
    if (are_equal(call.b.batch)) {
        call.b.batch.resize(1);
        for (ContractionOperand* x : {&call.a, &call.c, &call.out}) join(x->batch, x->outer);
    } else if (are_equal(call.a.batch)) {
        call.a.batch.resize(1);
        join(call.b.batch, call.b.outer);
        for (ContractionOperand* x : {&call.c, &call.out}) join(x->batch, x->inner);
    }
}

class ProductOfMatrices {
  public:
    explicit ProductOfMatrices(const Contraction& call)
        : work_(call.multiplications(), contraction_threaded, contraction_brief),
          plan_{call, work_.threads > 1 ? 2 * static_cast<std::size_t>(work_.threads) : 1} {}

    void run() const {
        const Contraction& call = plan_.call;
        const bool is_finite = std::isfinite(call.alpha) && std::isfinite(call.beta);
        if (call.a.format == Format::f64 || !is_finite) return run_elements();
        const bool packs = plan_.way == ContractionPlan::Way::packed;
        const std::size_t strips = call.out.batch.size() * plan_.column_tiles,
                          bytes = packs ? plan_.panels * plan_.panel_bytes : 0,
                          most = static_cast<std::size_t>(contraction_packed_bytes) / (bytes + 1);
        const std::size_t together = std::min(strips, std::max<std::size_t>(1, most));
        const Scratch packed(together * bytes),
            norms(packs ? together * plan_.tile_columns * sizeof(double) : 0);
        for (std::size_t first = 0; first < strips; first += together) {
            const std::size_t now = std::min(together, strips - first);
            const auto strip = [&](std::size_t s) {
                const std::size_t column = (first + s) % plan_.column_tiles * plan_.tile_columns;
                return ContractionStrip{(first + s) / plan_.column_tiles, column,
                                        std::min(plan_.tile_columns, plan_.columns - column),
                                        packs ? packed.get() + s * bytes : nullptr,
                                        reinterpret_cast<double*>(norms.get()) + s * plan_.tile_columns};
            };
            const std::size_t halves = plan_.panels > 1 ? 2 : 1, half = (plan_.panels + halves - 1) / halves;
            auto pack = [&](std::size_t i, std::size_t) {
                const std::size_t begin = i % halves * half;
                pack_panels(plan_, strip(i / halves), begin, std::min(begin + half, plan_.panels));
            };
            if (packs) for_each_task(now * halves, work_.threads, pack);
            auto multiply = [&](std::size_t i, std::size_t) {
                const ContractionStrip columns = strip(i / plan_.row_tiles);
                const std::size_t row = i % plan_.row_tiles * plan_.tile_rows;
                if (plan_.has_few_terms &&
                    finish_few_terms(plan_, columns, row, std::min(plan_.tile_rows, plan_.rows - row)))
                    return;
                ContractionTile(plan_, columns, row).make();
            };
            for_each_task(now * plan_.row_tiles, work_.threads, multiply);
        }
    }

  private:
    void run_elements() const {
        auto task = [&](std::size_t i, std::size_t) {
            ContractionElements elements(plan_.call);
            for (std::size_t n = 0; n < plan_.columns; ++n) elements.put(i / plan_.rows, i % plan_.rows, n);
        };
        for_each_task(plan_.call.out.batch.size() * plan_.rows, work_.threads, task);
    }

    const SharedWork work_;
    const ContractionPlan plan_;
};

}  // namespace

void contract(Contraction& call) {
    if (call.out.batch.empty() || call.out.outer.empty() || call.out.inner.empty()) return;
    const FloatingPointScope scope;
    join_batches(call);
    // Few rows are quicker than few columns.
    if (call.out.inner.size() < call.out.outer.size() &&
        static_cast<std::int64_t>(call.out.inner.size()) <= contraction_few_rows) {
        std::swap(call.a, call.b);
        for (ContractionOperand* x : {&call.c, &call.out}) std::swap(x->outer, x->inner);
    }
    ProductOfMatrices(call).run();
}

}  // namespace samesum
