#include "run/reduce/columns.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernels/prefetch.hpp"
#include "layout/copy.hpp"
#include "run/layouts/tangled.hpp"
#include "select/layout_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::int64_t gathered_rows = 16;

// True if all rows of the tile could be untangled at once.
bool add_untangled(const Plan& plan, const Method& method, const char* p, std::int64_t rows, std::size_t n,
                   void* tile) {
    const std::size_t size = size_of(plan.format), elements = static_cast<std::size_t>(rows);
    if (!plan.tangled || rows != plan.reduced_count || elements < 2 || elements > short_elements)
        return false;
    const Tangled tangled(size, elements);
    if (n > tangled.rows() || reinterpret_cast<std::uintptr_t>(p) % size != 0) return false;
    alignas(64) char untangled[Tangled::buffer_bytes];
    tangled.untangle(p, n, untangled);
    method.columns(tile, untangled, tangled.step(), elements, n);
    return true;
}

Route add_rows(const Plan& plan, const Method& method, const char* p, std::int64_t stride, std::int64_t rows,
               std::int64_t columns, std::int64_t fold, void* tile) {
    const std::size_t n = static_cast<std::size_t>(columns), size = size_of(plan.format);
    const std::int64_t row = columns * static_cast<std::int64_t>(size);
    if (add_untangled(plan, method, p, rows, n, tile)) return Route::columns_transposed;
    if (plan.contiguous && (fold == 1 || stride == row)) {
        add_folded(method, p, stride, rows, n, fold, tile);
        return fold == 1 ? Route::columns : Route::columns_folded;
    }
    alignas(64) char gathered[gathered_rows * tile_columns * 8 / 4];
    const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(sizeof gathered) / row);
    Dims some;
    some.push({rows, stride, 0});
    some.push({columns, plan.inner.in, 0});
    const Packing packing(some, size, plan.swapped);
    for (std::int64_t r = 0; r < rows; r += most) {
        const std::int64_t now = std::min(most, rows - r);
        packing.copy(p, r * columns, now * columns, gathered);
        add_folded(method, gathered, row, now, n, fold, tile);
    }
    return Route::columns_gathered;
}

}  // namespace

// Most machines see to dense ones by themselves.
std::int64_t distance_of(std::int64_t stride) {
    if (std::abs(stride) >= dense_stride) return gather_ahead_elements * stride;
    if (!prefetch_distances.dense) return 0;
    const std::int64_t distance = static_cast<std::int64_t>(prefetch_distances.run);
    return stride < 0 ? -distance : distance;
}

void accumulate_columns(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                        void* tile) {
    Dims rows = plan.reduced;
    const Dim row = rows.rank > 0 ? rows.dim[--rows.rank] : Dim{1, 0, 0};
    const char* base = plan.data + offsets_at(plan.kept, range.outer).in + range.first * plan.inner.in;
    Walk runs(rows, range.begin / row.size);
    std::int64_t at = range.begin % row.size;
    Route route = Route::columns;
    for (std::int64_t left = range.end - range.begin; left > 0; runs.next()) {
        const std::int64_t now = std::min(row.size - at, left);
        route = add_rows(plan, method, base + runs.in() + at * row.in, row.in, now, range.last - range.first,
                         fold, tile);
        left -= now;
        at = 0;
    }
    record(route);
}

void accumulate_chosen(const Plan& plan, const Method& method, std::int64_t outer,
                       const std::int64_t* columns, std::size_t count, void* tile, const Chosen& chosen) {
    if (plan.is_masked()) return accumulate_chosen_masked(plan, method, outer, columns, count, chosen, tile);
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format));
    Dims runs = plan.reduced;
    const Dim row = runs.rank > 0 ? runs.dim[--runs.rank] : Dim{1, 0, 0};
    const char* base = plan.data + offsets_at(plan.kept, outer).in;
    alignas(64) char gathered[block_elements];
    const std::int64_t most = static_cast<std::int64_t>(sizeof gathered) / size;
    method.init(tile, count);
    for (std::size_t j = 0; j < count; ++j) {
        std::int64_t filled = 0;
        const auto add = [&] {
            method.lanes(tile, j, gathered, static_cast<std::size_t>(filled), 0, 1);
            filled = 0;
        };
        Walk walk(runs, 0);
        for (std::int64_t run = 0; run < plan.reduced_count / row.size; ++run, walk.next()) {
            const char* p = base + columns[j] * plan.inner.in + walk.in();
            for (std::int64_t r = 0, now; r < row.size; r += now) {
                now = std::min(row.size - r, most - filled);
                gather(p + r * row.in, row.in, static_cast<std::size_t>(now), static_cast<std::size_t>(size),
                       plan.swapped, gathered + filled * size, distance_of(row.in));
                if ((filled += now) == most) add();
            }
        }
        if (filled > 0) add();
    }
}

}  // namespace samesum
