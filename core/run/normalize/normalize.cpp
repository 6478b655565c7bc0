#include "run/normalize/normalize.hpp"

#include "run/layouts/groups.hpp"
#include "run/layouts/packed_lines.hpp"
#include "run/layouts/staging.hpp"
#include "run/normalize/softmax.hpp"
#include "run/room.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

void normalize_groups(const Groups& groups, Normalization kind, void* out) {
    static_assert(grouped_elements < normalization_threaded_elements);
    record(Route::softmax_groups);
    const BriefWork brief(groups.elements() < normalization_brief_elements);
    const auto each = [&](const View& block, std::int64_t first, std::int64_t number) {
        const Room results(groups.room_for(number, groups.rows, groups.format));
        normalize_loops(block, 0, kind, results.get());
        put_groups(results.get(), groups.format, groups.rows * groups.columns, first, number, out);
    };
    for_each_block(groups, groups.elements() >= normalization_threaded_elements ? thread_count() : 1, each);
}

void normalize_packed(const PackedLines& lines, Normalization kind, Format format, void* out) {
    record(Route::softmax_packed);
    const BriefWork brief(lines.elements() < normalization_brief_elements);
    const auto each = [&](const View& block, std::int64_t first) {
        const std::int64_t at = first * block.shape[1] * static_cast<std::int64_t>(size_of(format));
        normalize_loops(block, 1, kind, static_cast<char*>(out) + at);
    };
    for_each_packed(lines, lines.elements() >= normalization_threaded_elements ? thread_count() : 1, each);
}

}  // namespace

void normalize(const View& x, int axis, Normalization kind, void* out) {
    const FloatingPointScope scope;
    const Staging staging = stage_normalization(x, axis, out);
    switch (staging.load) {
        case Load::groups:
            return normalize_groups(staging.groups, kind, out);
        case Load::packed:
            return normalize_packed(staging.lines, kind, x.format, out);
        case Load::direct:
            return normalize_loops(x, axis, kind, out);
    }
}

}  // namespace samesum
