#include "run/reduce.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "exact/rounding.hpp"
#include "run/accumulate.hpp"
#include "run/stages.hpp"
#include "run/tiers.hpp"
#include "threads/pool.hpp"

namespace samesum {

Counters counters{};

namespace {

// Below this many bytes of input one thread is faster than waking another.
constexpr std::int64_t threaded_bytes = 768 << 10;
// Bytes of input in a task: enough to hide its cost, little enough to balance and to stop soon.
constexpr std::int64_t task_bytes = 2 << 20;

// Pieces of an ordered set for each thread: every one has a state to itself, so that they merge in order.
constexpr std::int64_t ordered_pieces = 6;

// Outputs [first, last) of one run of the inner kept dimension (columns) or of all outputs (lanes).
struct Outputs {
    std::int64_t outer, first, last;
};

class Job {
  public:
    Job(const Plan& plan, const Tiers& tiers, const Finish& how, void* out)
        : plan_(plan), tiers_(tiers), how_(how), out_(static_cast<char*>(out)) {}

    void run() {
        const std::int64_t bytes = plan_.kept_count * plan_.reduced_count * item();
        const int threads = bytes >= threaded_bytes ? thread_count() : 1;
        const bool lanes = plan_.shape == Shape::lanes;
        const std::int64_t outer = lanes ? 1 : plan_.kept.count();
        const std::int64_t inner = lanes ? plan_.kept_count : plan_.inner.size;
        const std::int64_t width = tile_width(inner, threads);
        const std::int64_t tiles = (inner + width - 1) / width;
        const auto outputs = [&](std::int64_t t) {
            const std::int64_t first = t % tiles * width;
            return Outputs{t / tiles, first, std::min(inner, first + width)};
        };
        // Few tiles are taken in pieces of their reduced dimensions; by one thread too, which can then be
        // interrupted.
        const bool split = bytes >= threaded_bytes && outer * tiles < 3 * threads;
        if (split) {
            for (std::int64_t t = 0; t < outer * tiles; ++t) reduce_outputs(0, outputs(t), threads);
        } else {
            auto task = [&](std::size_t t, std::size_t) {
                reduce_outputs(0, outputs(static_cast<std::int64_t>(t)), 0);
            };
            for_each_task(static_cast<std::size_t>(outer * tiles), static_cast<std::size_t>(threads), task);
        }
    }

  private:
    std::int64_t item() const { return static_cast<std::int64_t>(size_of(plan_.format)); }

    std::int64_t tile_width(std::int64_t inner, int threads) const {
        std::int64_t width = static_cast<std::int64_t>(tiers_.method[0].max_columns);
        const std::int64_t output_bytes = plan_.reduced_count * item();
        if (plan_.shape == Shape::lanes)
            width = std::min(width, std::max<std::int64_t>(1, task_bytes / output_bytes));
        // Rows gathered into columns are read several times: they have to stay in the cache.
        else if (!plan_.contiguous)
            width = std::min<std::int64_t>(width, untangled_rows);
        if (threads > 1) {
            const std::int64_t share = (inner + 3 * threads - 1) / (3 * threads);
            width = std::min(width, std::max<std::int64_t>(share, 256));
        }
        return std::max<std::int64_t>(1, std::min(width, inner));
    }

    // Certified results of `outputs` in place, by this tier or a later one. `threads` is 0 inside a task of
    // the pool.
    void reduce_outputs(std::size_t tier, const Outputs& o, int threads) {
        const Method& method = tiers_.method[tier];
        const std::int64_t limit = static_cast<std::int64_t>(method.max_columns);
        for (std::int64_t first = o.first; first < o.last; first += limit) {
            const Outputs part{o.outer, first, std::min(o.last, first + limit)};
            reduce_tile(tier, part, threads);
        }
    }

    void reduce_tile(std::size_t tier, const Outputs& o, int threads) {
        const Method& method = tiers_.method[tier];
        const std::size_t n = static_cast<std::size_t>(o.last - o.first);
        TileScope scope;
        void* tile = scope.tile();
        if (threads > 0 && static_cast<std::int64_t>(n) * plan_.reduced_count * item() >= threaded_bytes) {
            accumulate_in_pieces(method, o, threads, tile);
        } else {
            accumulate(plan_, method, {o.outer, o.first, o.last, 0, plan_.reduced_count}, tile);
        }
        std::uint8_t failed[tile_columns];
        const std::size_t failures = finish(method, tile, o, failed);
        counters.reductions[tiers_.number[tier]] += n - failures;
        if (failures > 0) retry(tier + 1, o, failed, failures, threads);
    }

    void accumulate_in_pieces(const Method& method, const Outputs& o, int threads, void* tile) {
        const std::int64_t bytes = (o.last - o.first) * plan_.reduced_count * item();
        const std::int64_t most = plan_.ordered ? ordered_pieces * threads : INT64_MAX;
        const std::int64_t wanted = std::clamp<std::int64_t>(bytes / task_bytes, 2 * threads, most);
        const std::int64_t pieces = std::min(plan_.reduced_count, wanted);
        const std::size_t count = static_cast<std::size_t>(plan_.ordered ? pieces : threads);
        std::vector<std::unique_ptr<TileScope>> states(count);
        std::vector<char> used(count);
        for (auto& state : states) state = std::make_unique<TileScope>();
        auto task = [&](std::size_t piece, std::size_t worker) {
            const std::int64_t p = static_cast<std::int64_t>(piece);
            const std::int64_t first = part_of(plan_.reduced_count, p, pieces);
            const std::int64_t last = part_of(plan_.reduced_count, p + 1, pieces);
            const std::size_t state = plan_.ordered ? piece : worker;
            accumulate(plan_, method, {o.outer, o.first, o.last, first, last}, states[state]->tile(),
                       used[state]);
            used[state] = 1;
        };
        for_each_task(static_cast<std::size_t>(pieces), static_cast<std::size_t>(threads), task);
        const std::size_t n = static_cast<std::size_t>(o.last - o.first);
        method.init(tile, n);
        for (std::size_t s = 0; s < states.size(); ++s) {
            for (std::size_t j = 0; used[s] && j < n; ++j) method.merge(tile, j, states[s]->tile(), j);
        }
    }

    static std::int64_t part_of(std::int64_t total, std::int64_t i, std::int64_t parts) {
        return total / parts * i + std::min(i, total % parts);
    }

    std::size_t finish(const Method& method, void* tile, const Outputs& o, std::uint8_t* failed) {
        const std::size_t n = static_cast<std::size_t>(o.last - o.first), size = size_of(how_.format);
        const std::int64_t bytes = static_cast<std::int64_t>(size);
        alignas(64) char results[tile_columns * 8];
        if (plan_.shape == Shape::columns) {
            char* to =
                out_ + (plan_.out + offsets_at(plan_.kept, o.outer).out + o.first * plan_.inner.out) * bytes;
            if (plan_.inner.out == 1) return method.finish(tile, n, how_, to, failed);
            const std::size_t failures = method.finish(tile, n, how_, results, failed);
            scatter(results, n, size, to, plan_.inner.out * bytes);
            return failures;
        }
        const std::size_t failures = method.finish(tile, n, how_, results, failed);
        for (std::size_t j = 0; j < n;) {
            const std::int64_t index = o.first + static_cast<std::int64_t>(j);
            const Offsets at = offsets_at(plan_.kept, index);
            const Dim last = plan_.kept.rank > 0 ? plan_.kept.dim[plan_.kept.rank - 1] : Dim{1, 0, 1};
            const std::size_t run = std::min(n - j, static_cast<std::size_t>(last.size - index % last.size));
            scatter(results + j * size, run, size, out_ + (plan_.out + at.out) * bytes, last.out * bytes);
            j += run;
        }
        return failures;
    }

    // The next tier for what failed. In columns all of the tile if that is much of it, else the failed ones
    // alone, gathered side by side: a column by itself is read a cache line at a time.
    void retry(std::size_t tier, const Outputs& o, const std::uint8_t* failed, std::size_t failures,
               int threads) {
        const std::size_t n = static_cast<std::size_t>(o.last - o.first);
        const bool columns = plan_.shape == Shape::columns;
        if (columns && (n < 64 || failures > n / 16)) return reduce_outputs(tier, o, threads);
        std::int64_t chosen[tile_columns];
        std::size_t count = 0;
        for (std::size_t j = 0; j < n; ++j) {
            if (failed[j]) chosen[count++] = o.first + static_cast<std::int64_t>(j);
        }
        if (columns) return reduce_chosen(tier, o.outer, chosen, count);
        for (std::size_t i = 0; i < count; ++i)
            reduce_outputs(tier, {o.outer, chosen[i], chosen[i] + 1}, threads);
    }

    void reduce_chosen(std::size_t tier, std::int64_t outer, const std::int64_t* chosen, std::size_t count) {
        const Method& method = tiers_.method[tier];
        if (count > method.max_columns) {
            reduce_chosen(tier, outer, chosen + method.max_columns, count - method.max_columns);
            count = method.max_columns;
        }
        TileScope scope;
        accumulate_chosen(plan_, method, outer, chosen, count, scope.tile());
        alignas(64) char results[tile_columns * 8];
        std::uint8_t failed[tile_columns];
        const std::size_t size = size_of(how_.format);
        const std::size_t failures = method.finish(scope.tile(), count, how_, results, failed);
        char* to = out_ + (plan_.out + offsets_at(plan_.kept, outer).out) * static_cast<std::int64_t>(size);
        std::int64_t again[tile_columns];
        std::size_t left = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t at = chosen[i] * plan_.inner.out * static_cast<std::int64_t>(size);
            scatter(results + i * size, 1, size, to + at, static_cast<std::int64_t>(size));
            if (failed[i]) again[left++] = chosen[i];
        }
        counters.reductions[tiers_.number[tier]] += count - failures;
        if (left > 0) reduce_chosen(tier + 1, outer, again, left);
    }

    const Plan& plan_;
    const Tiers& tiers_;
    const Finish how_;
    char* const out_;
};

}  // namespace

void reduce(const View& x, const bool* reduced, const Reduction& row, Format format, void* out) {
    if (is_position(row.combine) && reduce_in_stages(x, reduced, row, out)) return;
    const FloatingPointScope scope;
    const Plan plan = plan_reduction(x, reduced, is_position(row.combine));
    const Tiers tiers = choose_tiers(row, x.format, format, plan.reduced_count);
    Job(plan, tiers, {row.finalize, format, plan.reduced_count}, out).run();
}

namespace {

// The value that loses to every other.
std::uint64_t worst(bool maximum, Format format) {
    const bool has_sign = is_float(format) || !is_unsigned(format);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * size_of(format)),
                        sign = has_sign ? sign_bit(format) : 0;
    if (is_float(format))
        return (has_infinity(format) ? infinity_bits(format) : traits_of(format).largest) |
               (maximum ? sign : 0);
    if (format == Format::boolean) return maximum ? 0 : 1;
    return maximum ? sign : ones & ~sign;
}

std::uint64_t empty_sum(Finalize finalize, Format format) {
    if (finalize == Finalize::over_count) return canonical_nan(format);
    return finalize == Finalize::logarithm ? worst(true, format) : 0;
}

}  // namespace

void fill_empty(const Reduction& row, Format format, void* out, std::int64_t n) {
    std::uint64_t bits = 0;
    switch (row.combine) {
        case Combine::sum:
            bits = empty_sum(row.finalize, format);
            break;
        case Combine::minimum:
        case Combine::maximum:
            bits = worst(row.combine == Combine::maximum, format);
            break;
        case Combine::product:
        case Combine::logical_and:
            bits = is_float(format) ? round_bits(1, format) : 1;
            break;
        default:
            break;
    }
    for (std::int64_t i = 0; i < n; ++i) store_bits(out, static_cast<std::size_t>(i), bits, size_of(format));
}

}  // namespace samesum
