#include "run/layouts/short_sets.hpp"

#include <algorithm>

#include "layout/copy.hpp"
#include "run/layouts/tangled.hpp"
#include "run/reduce/reduce.hpp"

namespace samesum {

namespace {

// Sets that lie side by side become rows, some of them at a time.
std::size_t finish_tangled(const Plan& plan, const Target& target, const char* p, std::size_t n, char* out,
                           std::uint8_t* failed) {
    const std::size_t size = size_of(plan.format), elements = static_cast<std::size_t>(plan.reduced_count);
    const Tangled tangled(size, elements);
    alignas(64) char rows[Tangled::buffer_bytes];
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; j += tangled.rows()) {
        const std::size_t now = std::min(tangled.rows(), n - j);
        tangled.untangle(p + j * elements * size, now, rows);
        failures += target.tiers.at_once(rows, tangled.step(), elements, now,
                                         out + j * size_of(target.how.format), failed + j);
    }
    return failures;
}

}  // namespace

std::size_t finish_short(const Plan& plan, const Target& target, const Outputs& o, std::uint8_t* failed) {
    const std::size_t n = static_cast<std::size_t>(o.count()), size = size_of(target.how.format);
    const std::int64_t bytes = static_cast<std::int64_t>(size);
    const Offsets at = offsets_at(plan.kept, o.outer);
    const char* const p = plan.data + at.in + o.first * plan.inner.in;
    char* const to = target.out + (plan.out + at.out + o.first * plan.inner.out) * bytes;
    const bool in_place = plan.inner.out == 1;
    alignas(64) char results[most_columns * 8];
    char* const out = in_place ? to : results;
    const std::int64_t step = plan.reduced.rank > 0 ? plan.reduced.dim[0].in : 0;
    const std::size_t failures =
        plan.contiguous
            ? target.tiers.at_once(p, step, static_cast<std::size_t>(plan.reduced_count), n, out, failed)
            : finish_tangled(plan, target, p, n, out, failed);
    if (!in_place) scatter(results, n, size, to, plan.inner.out * bytes);
    counters.reductions[target.tiers.number[0]] += n - failures;
    record(target.tiers.at_once_route, n - failures);
    record(plan.contiguous ? Route::whole_sets : Route::whole_sets_transposed);
    return failures;
}

}  // namespace samesum
