#include "run/finish.hpp"

#include <algorithm>

#include "layout/copy.hpp"
#include "run/reduction.hpp"

namespace samesum {

namespace {

std::size_t finish(const Target& target, std::size_t tier, void* tile, std::size_t n, void* results,
                   std::uint8_t* failed) {
    const std::size_t failures = target.tiers.method[tier].finish(tile, n, target.how, results, failed);
    counters.reductions[target.tiers.number[tier]] += n - failures;
    record(target.tiers.route[tier], n - failures);
    return failures;
}

}  // namespace

std::vector<Outputs> parts_of(const Plan& plan, std::size_t most) {
    const bool lanes = plan.shape == Shape::lanes;
    const std::int64_t outer = lanes ? 1 : plan.kept.count(),
                       inner = lanes ? plan.kept_count : plan.inner.size,
                       width = static_cast<std::int64_t>(most);
    std::vector<Outputs> parts;
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t first = 0; first < inner; first += width)
            parts.push_back({o, first, std::min(inner, first + width)});
    }
    return parts;
}

std::int64_t place_of(const Plan& plan, const Outputs& part, std::int64_t j) {
    const std::int64_t at = part.first + j;
    if (plan.shape == Shape::lanes) return plan.out + offsets_at(plan.kept, at).out;
    return plan.out + offsets_at(plan.kept, part.outer).out + at * plan.inner.out;
}

std::size_t finish_outputs(const Plan& plan, const Target& target, std::size_t tier, void* tile,
                           const Outputs& o, std::uint8_t* failed) {
    const std::size_t n = static_cast<std::size_t>(o.count()), size = size_of(target.how.format);
    const std::int64_t bytes = static_cast<std::int64_t>(size);
    alignas(64) char results[most_columns * 8];
    if (plan.shape == Shape::columns) {
        const std::int64_t first = plan.out + offsets_at(plan.kept, o.outer).out + o.first * plan.inner.out;
        char* const to = target.out + first * bytes;
        if (plan.inner.out == 1) return finish(target, tier, tile, n, to, failed);
        const std::size_t failures = finish(target, tier, tile, n, results, failed);
        const std::int64_t step = plan.inner.out * bytes;
        if (failures == 0) return scatter(results, n, size, to, step), 0;
        // What failed may have a result already.
        for (std::size_t j = 0; j < n; ++j) {
            if (!failed[j])
                scatter(results + j * size, 1, size, to + static_cast<std::int64_t>(j) * step, step);
        }
        return failures;
    }
    const std::size_t failures = finish(target, tier, tile, n, results, failed);
    const Dim last = plan.kept.rank > 0 ? plan.kept.dim[plan.kept.rank - 1] : Dim{1, 0, 1};
    for (std::size_t j = 0; j < n;) {
        const std::int64_t index = o.first + static_cast<std::int64_t>(j);
        const std::int64_t at = plan.out + offsets_at(plan.kept, index).out;
        const std::size_t run = std::min(n - j, static_cast<std::size_t>(last.size - index % last.size));
        scatter(results + j * size, run, size, target.out + at * bytes, last.out * bytes);
        j += run;
    }
    return failures;
}

std::size_t finish_chosen(const Plan& plan, const Target& target, std::size_t tier, void* tile,
                          std::int64_t outer, const std::int64_t* columns, std::size_t n,
                          std::uint8_t* failed) {
    alignas(64) char results[most_columns * 8];
    const std::size_t failures = finish(target, tier, tile, n, results, failed),
                      size = size_of(target.how.format);
    const std::int64_t bytes = static_cast<std::int64_t>(size);
    char* const to = target.out + (plan.out + offsets_at(plan.kept, outer).out) * bytes;
    for (std::size_t i = 0; i < n; ++i)
        scatter(results + i * size, 1, size, to + columns[i] * plan.inner.out * bytes, bytes);
    return failures;
}

}  // namespace samesum
