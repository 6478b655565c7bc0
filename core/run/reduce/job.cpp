#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/short_method.hpp"
#include "run/layouts/block_transpose.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// The targets of a pass, all by the same tier, or at once before all tiers.
struct Pass {
    const Target* targets;
    std::size_t count, tier;
    bool at_once = false;
    const std::uint8_t* retry_only = nullptr;  // the outputs that are asked for, if others may well fail

    const Method& method(std::size_t i) const { return targets[i].tiers.method[tier]; }
    // Of what takes longest.
    std::int64_t work() const {
        std::int64_t most = 1;
        for (std::size_t i = 0; i < count; ++i) most = std::max(most, targets[i].tiers.work);
        return most;
    }
    std::int64_t max_columns() const {
        std::size_t n = most_columns;
        for (std::size_t i = 0; i < count; ++i) n = std::min(n, method(i).max_columns);
        return static_cast<std::int64_t>(n);
    }
};

// As few tiles of so many columns at most, none of them much narrower than the others.
std::int64_t even(std::int64_t inner, std::int64_t most) {
    const std::int64_t unit = tile_unit_columns;
    const std::int64_t tiles = (inner + most - 1) / most, width = (inner + tiles - 1) / tiles;
    return std::min(most, (width + unit - 1) / unit * unit);
}

// For each of several threads to have three tiles, unless these become too small.
std::int64_t shared_width(const Plan& plan, std::int64_t inner, std::int64_t output_bytes, std::int64_t work,
                          int threads) {
    const std::int64_t share = (inner + tiles_per_thread * threads - 1) / (tiles_per_thread * threads);
    if (plan.shape == Shape::lanes) return std::max(share, least_task_bytes / (output_bytes * work));
    const bool uncached = output_bytes * inner * plan.kept.count() >= streamed_bytes;
    return std::max<std::int64_t>(
        share, uncached ? least_uncached_row_bytes / static_cast<std::int64_t>(size_of(plan.format))
                        : std::int64_t{least_shared_columns});
}

// Outputs of a tile, of the `inner` ones that are side by side.
std::int64_t tile_width(const Plan& plan, const Pass& pass, std::int64_t inner, int threads) {
    const bool lanes = plan.shape == Shape::lanes;
    const std::int64_t output_bytes = plan.reduced_count * static_cast<std::int64_t>(size_of(plan.format));
    std::int64_t width = pass.max_columns();
    if (lanes)
        width = std::min(width, std::max<std::int64_t>(1, task_bytes / output_bytes));
    else if (plan.contiguous || pass.at_once)
        width = std::max(width, columns_task_bytes / output_bytes / width * width);
    // Rows gathered into columns are read several times: they have to stay in the cache.
    else
        width = std::min<std::int64_t>(width, transposed_rows);
    if (threads > 1) width = std::min(width, shared_width(plan, inner, output_bytes, pass.work(), threads));
    return lanes ? std::clamp<std::int64_t>(width, 1, inner) : even(inner, std::max<std::int64_t>(1, width));
}

// Sets that lie side by side become rows, some of them at a time.
std::size_t finish_transposed(const Plan& plan, const Target& target, const char* p, std::size_t n, char* out,
                              std::uint8_t* failed) {
    const std::size_t size = size_of(plan.format), elements = static_cast<std::size_t>(plan.reduced_count);
    const BlockTranspose blocks(size, elements);
    alignas(64) char rows[BlockTranspose::buffer_bytes];
    std::size_t failures = 0;
    for (std::size_t j = 0; j < n; j += blocks.rows()) {
        const std::size_t now = std::min(blocks.rows(), n - j);
        blocks.to_columns(p + j * elements * size, now, rows);
        failures += target.tiers.at_once(rows, blocks.step(), elements, now,
                                         out + j * size_of(target.how.format), failed + j);
    }
    return failures;
}

// Sets of few elements, from the input to the results without a tile: at most `tile_columns` outputs; as
// finish_outputs does.
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
            : finish_transposed(plan, target, p, n, out, failed);
    if (!in_place) scatter(results, n, size, to, plan.inner.out * bytes);
    counters.reductions[target.tiers.number[0]] += n - failures;
    record(Route::short_sets, n - failures);
    record(plan.contiguous ? Route::whole_sets : Route::whole_sets_transposed);
    return failures;
}

// The first column of run number `outer` of the inner dimension as the one lane of a plan; and another
// column.
Plan lane_of(const Plan& plan, std::int64_t outer) {
    Plan lane = plan;
    const Offsets at = offsets_at(plan.kept, outer);
    lane.shape = Shape::lanes;
    lane.data += at.in, lane.out += at.out;
    if (plan.mask != nullptr) lane.mask += offsets_at(mask_dims(plan.kept), outer).in;
    lane.kept.rank = 0, lane.kept_count = lane.fold = 1;
    lane.inner = plan.reduced.rank > 0 ? lane.reduced.dim[--lane.reduced.rank] : Dim{1, 0, 0};
    lane.transposed = lane.contiguous = false;
    return lane;
}

Plan moved(Plan lane, const Dim& columns, std::int64_t by) {
    lane.data += by * columns.in, lane.out += by * columns.out;
    if (lane.mask != nullptr) lane.mask += by * columns.mask;
    return lane;
}

class TiledReduction {
  public:
    TiledReduction(const Plan& plan, const Target* targets, std::size_t count)
        : plan_(plan), all_{targets, count, 0, are_short(plan, targets, count)} {}

    void run() {
        if (all_.count > 1) record(Route::turns_of_results);
        const std::int64_t bytes = plan_.kept_count * plan_.reduced_count * item(),
                           work = bytes * all_.work();
        const SharedWork shared(work, threaded_bytes, brief_bytes);
        const int threads = shared.threads;
        const bool lanes = plan_.shape == Shape::lanes;
        const std::int64_t outer = lanes ? 1 : plan_.kept.count();
        const std::int64_t inner = lanes ? plan_.kept_count : plan_.inner.size;
        const auto tiles_of = [&](std::int64_t width) { return (inner + width - 1) / width; };
        std::int64_t width = tile_width(plan_, all_, inner, threads), tiles = tiles_of(width);
        // Few tiles are taken in pieces of their reduced dimensions, unless these are short; by one thread
        // large ones are, so that it can be interrupted.
        const bool few = threads > 1 ? outer * tiles < tiles_per_thread * threads
                                     : bytes > tasks_of_large_tile * task_bytes * outer * tiles,
                   split = few && !all_.at_once;
        if (split) width = tile_width(plan_, all_, inner, 1), tiles = tiles_of(width);
        const auto outputs = [&](std::int64_t t) {
            const std::int64_t first = t % tiles * width;
            return Outputs{t / tiles, first, std::min(inner, first + width)};
        };
        if (split) {
            for (std::int64_t t = 0; t < outer * tiles; ++t) reduce_outputs(all_, outputs(t), threads);
        } else {
            auto task = [&](std::size_t t, std::size_t) {
                reduce_outputs(all_, outputs(static_cast<std::int64_t>(t)), 0);
            };
            for_each_task(static_cast<std::size_t>(outer * tiles), threads, task);
        }
    }

  private:
    std::int64_t item() const { return static_cast<std::int64_t>(size_of(plan_.format)); }

    // Sets that are transposed at a time.
    std::int64_t rows_at_a_time() const {
        const BlockTranspose blocks(size_of(plan_.format), static_cast<std::size_t>(plan_.reduced_count));
        return static_cast<std::int64_t>(blocks.rows());
    }

    // Certified results of `o` in place, by the pass's tier or a later one. `threads` is 0 inside a task of
    // the pool.
    void reduce_outputs(const Pass& pass, const Outputs& o, int threads) {
        std::int64_t limit = pass.max_columns();
        if (pass.count > 1 && threads == 0 && plan_.shape == Shape::lanes)
            limit = std::clamp<std::int64_t>(chunk_bytes / (plan_.reduced_count * item()), 1, limit);
        if (!pass.at_once && plan_.transposed) limit = std::min(limit, rows_at_a_time());
        for (std::int64_t first = o.first; first < o.last; first += limit) {
            const Outputs part{o.outer, first, std::min(o.last, first + limit)};
            Pass here = pass;
            if (pass.retry_only != nullptr) here.retry_only += first - o.first;
            pass.at_once ? reduce_at_once(here, part, threads) : reduce_tile(here, part, threads);
        }
    }

    void reduce_at_once(const Pass& pass, const Outputs& o, int threads) {
        std::uint8_t failed[most_columns];
        for (std::size_t i = 0; i < pass.count; ++i) {
            const std::size_t failures = finish_short(plan_, pass.targets[i], o, failed);
            if (failures > 0) retry({pass.targets + i, 1, 0}, o, failed, failures, threads);
        }
    }

    void reduce_tile(const Pass& pass, const Outputs& o, int threads) {
        const TileScope tiles(pass.count);
        open_tiles(pass, o, tiles);
        if (threads > 0 && o.count() * plan_.reduced_count * item() * pass.work() >= threaded_bytes)
            accumulate_in_pieces(pass, o, threads, tiles);
        else
            accumulate_piece(pass, o, 0, plan_.reduced_count, tiles);
        close_tiles(pass, o, tiles);
        for (std::size_t i = 0; i < pass.count; ++i) complete(pass, i, tiles.tile(i), o, threads);
    }

    void open_tiles(const Pass& pass, const Outputs& o, const TileScope& tiles) {
        for (std::size_t i = 0; i < pass.count; ++i)
            open_tile(plan_, pass.method(i), o.count(), tiles.tile(i));
    }

    void close_tiles(const Pass& pass, const Outputs& o, const TileScope& tiles) {
        for (std::size_t i = 0; i < pass.count; ++i)
            close_tile(plan_, pass.method(i), o.count(), tiles.tile(i));
    }

    // Elements [begin, end) of each set, for several methods chunk by chunk.
    void accumulate_piece(const Pass& pass, const Outputs& o, std::int64_t begin, std::int64_t end,
                          const TileScope& tiles) {
        const std::int64_t step = pass.count > 1 ? chunk_of(o.count()) : end - begin;
        for (std::int64_t at = begin; at < end; at += step) {
            const Range range{o.outer, o.first, o.last, at, std::min(end, at + step)};
            for (std::size_t i = 0; i < pass.count; ++i)
                accumulate(plan_, pass.method(i), range, tiles.tile(i), pass.targets[i].chosen);
        }
    }

    // Elements of each of n sets in a chunk: whole groups of rows that lie side by side, or enough for a
    // lane.
    std::int64_t chunk_of(std::int64_t n) const {
        const bool lanes = plan_.shape == Shape::lanes;
        const std::int64_t unit = lanes ? chunk_lane_elements : plan_.fold;
        const std::int64_t least = lanes ? 1 : (chunk_rows + unit - 1) / unit;
        return std::max(least, chunk_bytes / (n * item()) / unit) * unit;
    }

    void accumulate_in_pieces(const Pass& pass, const Outputs& o, int threads, const TileScope& tiles) {
        record(Route::pieces);
        const std::int64_t bytes = o.count() * plan_.reduced_count * item();
        const std::int64_t most = plan_.ordered ? ordered_pieces * threads : INT64_MAX;
        const std::int64_t enough =
            std::max(bytes / task_bytes,
                     std::min<std::int64_t>(pieces_per_thread * threads, bytes / least_piece_bytes));
        const std::int64_t wanted = std::clamp<std::int64_t>(enough, least_pieces_per_thread * threads, most);
        const std::int64_t pieces = std::min(plan_.reduced_count, wanted);
        std::vector<std::unique_ptr<TileScope>> states(
            static_cast<std::size_t>(plan_.ordered ? pieces : threads));
        std::vector<char> used(states.size());
        for (auto& state : states) state = std::make_unique<TileScope>(pass.count);
        auto task = [&](std::size_t piece, std::size_t worker) {
            const std::int64_t p = static_cast<std::int64_t>(piece);
            const std::size_t s = plan_.ordered ? piece : worker;
            if (!used[s]) open_tiles(pass, o, *states[s]);
            used[s] = 1;
            accumulate_piece(pass, o, part_of(plan_.reduced_count, p, pieces),
                             part_of(plan_.reduced_count, p + 1, pieces), *states[s]);
        };
        for_each_task(static_cast<std::size_t>(pieces), threads, task);
        const std::size_t n = static_cast<std::size_t>(o.count());
        for (std::size_t s = 0; s < states.size(); ++s) {
            if (!used[s]) continue;
            close_tiles(pass, o, *states[s]);
            for (std::size_t i = 0; i < pass.count; ++i)
                pass.method(i).merge(tiles.tile(i), 0, states[s]->tile(i), 0, n);
        }
    }

    static std::int64_t part_of(std::int64_t total, std::int64_t i, std::int64_t parts) {
        return total / parts * i + std::min(i, total % parts);
    }

    // Writes result number i of the pass; what fails goes to the next tier.
    void complete(const Pass& pass, std::size_t i, void* tile, const Outputs& o, int threads) {
        std::uint8_t failed[most_columns];
        std::size_t failures = finish_outputs(plan_, pass.targets[i], pass.tier, tile, o, failed);
        if (pass.retry_only != nullptr) {
            failures = 0;
            for (std::int64_t j = 0; j < o.count(); ++j) failures += failed[j] &= pass.retry_only[j];
        }
        if (failures > 0) retry({pass.targets + i, 1, pass.tier + 1}, o, failed, failures, threads);
    }

    // The next tier for what failed. In columns all of the tile if that is much of it, else the failed ones
    // alone, each as a lane: a column by itself is read a cache line at a time.
    void retry(const Pass& own, const Outputs& o, const std::uint8_t* failed, std::size_t failures,
               int threads) {
        const std::size_t n = static_cast<std::size_t>(o.count());
        const bool columns = plan_.shape == Shape::columns;
        if (columns &&
            (o.count() < few_retried_columns || failures > n / static_cast<std::size_t>(retried_share))) {
            record(Route::retried_tile);
            const bool partial = own.targets->tiers.is_partial(own.tier);
            return reduce_outputs({own.targets, 1, own.tier, false, partial ? failed : nullptr}, o, threads);
        }
        record(Route::retried_lanes);
        const Plan lane = columns ? lane_of(plan_, o.outer) : Plan{};
        for (std::int64_t j = 0; j < o.count(); ++j) {
            if (!failed[j]) continue;
            if (columns)
                TiledReduction(moved(lane, plan_.inner, o.first + j), own.targets, 1)
                    .reduce_outputs(own, {0, 0, 1}, threads);
            else
                reduce_outputs(own, {o.outer, o.first + j, o.first + j + 1}, threads);
        }
    }

    const Plan& plan_;
    const Pass all_;
};

}  // namespace

void run_job(const Plan& plan, const Target* targets, std::size_t count) {
    const FloatingPointScope scope;
    TiledReduction(plan, targets, count).run();
}

}  // namespace samesum
