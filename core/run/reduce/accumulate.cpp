#include "run/reduce/accumulate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "kernels/prefetch.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "run/dots/dots.hpp"
#include "run/layouts/block_transpose.hpp"
#include "select/layout_thresholds.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::int64_t gathered_rows = 16;

// True if all rows of the tile could be transposed at once.
bool add_transposed(const Plan& plan, const Method& method, const char* p, std::int64_t rows, std::size_t n,
                    void* tile) {
    const std::size_t size = size_of(plan.format), elements = static_cast<std::size_t>(rows);
    if (!plan.transposed || rows != plan.reduced_count || elements < 2 || elements > short_elements)
        return false;
    const BlockTranspose blocks(size, elements);
    if (n > blocks.rows() || reinterpret_cast<std::uintptr_t>(p) % size != 0) return false;
    alignas(64) char runs[BlockTranspose::buffer_bytes];
    blocks.to_columns(p, n, runs);
    method.columns(tile, runs, blocks.step(), elements, n);
    return true;
}

Route add_rows(const Plan& plan, const Method& method, const char* p, std::int64_t stride, std::int64_t rows,
               std::int64_t columns, std::int64_t fold, void* tile) {
    const std::size_t n = static_cast<std::size_t>(columns), size = size_of(plan.format);
    const std::int64_t row = columns * static_cast<std::int64_t>(size);
    if (add_transposed(plan, method, p, rows, n, tile)) return Route::columns_transposed;
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

void add_lane_run(const Plan& plan, const Method& method, void* tile, std::size_t j, const char* p,
                  std::int64_t n) {
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan.format));
    constexpr std::int64_t block = static_cast<std::int64_t>(block_elements);
    alignas(64) char gathered[block_elements];
    const std::int64_t most = plan.contiguous ? block : block / size;
    for (std::int64_t i = 0; i < n; i += most) {
        const std::size_t now = static_cast<std::size_t>(std::min(most, n - i));
        const char* from = p + i * plan.inner.in;
        if (!plan.contiguous) {
            gather(from, plan.inner.in, now, static_cast<std::size_t>(size), plan.swapped, gathered,
                   distance_of(plan.inner.in));
            from = gathered;
        }
        method.lanes(tile, j, from, now, 0, 1);
    }
}

// Whole outputs of few contiguous elements, as many in a call as lie at one distance.
void accumulate_short_lanes(const Plan& plan, const Method& method, const Range& range, void* tile) {
    record(Route::short_lanes);
    const Dim side = plan.kept.rank > 0 ? plan.kept.dim[plan.kept.rank - 1] : Dim{1, 0, 0};
    const std::size_t n = static_cast<std::size_t>(plan.inner.size);
    for (std::int64_t o = range.first; o < range.last;) {
        const std::int64_t rows = std::min(range.last - o, side.size - o % side.size);
        const char* p = plan.data + offsets_at(plan.kept, o).in;
        method.lanes(tile, static_cast<std::size_t>(o - range.first), p, n, side.in,
                     static_cast<std::size_t>(rows));
        o += rows;
    }
}

// Lanes of many short runs, as whole ones.
void accumulate_packed_lanes(const Plan& plan, const Method& method, const Range& range, void* tile) {
    record(Route::runs_packed);
    const Dims set = reduced_dims(plan);
    const std::size_t size = size_of(plan.format);
    const Packing packing(set, size, plan.swapped);
    alignas(64) char packed[block_elements];
    const std::int64_t most = static_cast<std::int64_t>(sizeof packed / size);
    Walk outputs(plan.kept, range.first);
    for (std::int64_t o = range.first; o < range.last; ++o, outputs.next()) {
        const char* const base = plan.data + outputs.in();
        for (std::int64_t at = range.begin; at < range.end; at += most) {
            const std::int64_t now = std::min(most, range.end - at);
            packing.copy(base, at, now, packed);
            method.lanes(tile, static_cast<std::size_t>(o - range.first), packed,
                         static_cast<std::size_t>(now), 0, 1);
        }
    }
}

void accumulate_lanes(const Plan& plan, const Method& method, const Range& range, void* tile) {
    const bool whole = range.begin == 0 && range.end == plan.inner.size && plan.reduced.rank == 0;
    if (whole && plan.contiguous && plan.inner.size <= static_cast<std::int64_t>(block_elements)) {
        return accumulate_short_lanes(plan, method, range, tile);
    }
    const std::int64_t run = plan.inner.size, size = static_cast<std::int64_t>(size_of(plan.format));
    const bool one_run = plan.reduced.rank == 0;
    if (!one_run && !(plan.contiguous && run * size >= long_run_bytes))
        return accumulate_packed_lanes(plan, method, range, tile);
    record(!one_run ? Route::runs : plan.contiguous ? Route::one_run : Route::one_run_gathered);
    Walk outputs(plan.kept, range.first);
    for (std::int64_t o = range.first; o < range.last; ++o, outputs.next()) {
        const char* base = plan.data + outputs.in();
        const std::size_t j = static_cast<std::size_t>(o - range.first);
        if (one_run) {
            add_lane_run(plan, method, tile, j, base + range.begin * plan.inner.in, range.end - range.begin);
            continue;
        }
        Walk runs(plan.reduced, range.begin / run);
        std::int64_t at = range.begin % run;
        for (std::int64_t left = range.end - range.begin; left > 0; runs.next()) {
            const std::int64_t now = std::min(run - at, left);
            add_lane_run(plan, method, tile, j, base + runs.in() + at * plan.inner.in, now);
            left -= now;
            at = 0;
        }
    }
}

// Rows lie side by side only where a tile has all the columns of a row.
std::int64_t fold_of(const Plan& plan, const Method& method, std::int64_t columns) {
    if (plan.fold == 1 || columns != plan.inner.size) return 1;
    const std::size_t most = std::min(method.max_columns, tile_columns);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(most) / columns, 1, plan.fold);
}

}  // namespace

void open_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile) {
    method.init(tile, static_cast<std::size_t>(columns * fold_of(plan, method, columns)));
}

void accumulate(const Plan& plan, const Method& method, const Range& range, void* tile,
                const Chosen& chosen) {
    const std::int64_t fold =
        plan.shape == Shape::lanes ? 1 : fold_of(plan, method, range.last - range.first);
    if (plan.is_pair)
        accumulate_pairs(plan, method, range, fold, tile);
    else if (plan.is_masked())
        accumulate_masked(plan, method, range, fold, chosen, tile);
    else if (plan.shape == Shape::lanes)
        accumulate_lanes(plan, method, range, tile);
    else
        accumulate_columns(plan, method, range, fold, tile);
}

void close_tile(const Plan& plan, const Method& method, std::int64_t columns, void* tile) {
    std::int64_t fold = fold_of(plan, method, columns);
    for (std::int64_t left; fold > 1; fold = left) {
        left = (fold + 1) / 2;
        method.merge(tile, 0, tile, static_cast<std::size_t>(left * columns),
                     static_cast<std::size_t>((fold - left) * columns));
    }
}

}  // namespace samesum
