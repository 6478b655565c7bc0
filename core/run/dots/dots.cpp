#include <algorithm>
#include <bit>
#include <vector>

#include "arithmetic/division.hpp"
#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/dots/dot_layout.hpp"
#include "run/dots/dot_pass.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/room.hpp"
#include "select/pair_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t most_vectors = static_cast<std::int64_t>(tile_columns);

const DotMethod& method_of(Format format) {
    const DotMethods& all = *current_instruction_set().dots;
    if (is_float(format)) return all.floats[static_cast<std::size_t>(format)];
    return all.integers[std::countr_zero(size_of(format))];
}

class Job {
  public:
    explicit Job(const DotCall& call)
        : all_(call),
          method_(method_of(call.format)),
          pass_(all_, method_),
          item_(static_cast<std::int64_t>(all_.size())) {
        const std::int64_t bytes = dot_bytes(call);
        is_brief_ = bytes < brief_bytes;
        threads_ = bytes >= threaded_bytes ? static_cast<std::size_t>(thread_count()) : 1;
        share_out(threads_ > 1 ? 2 * static_cast<std::int64_t>(threads_) : 1);
    }

    void run() {
        const BriefWork brief(is_brief_);
        if (parts_ == 1) {
            auto task = [&](std::size_t t, std::size_t) {
                const Room tile(tile_bytes);
                const DotRange some = some_of(static_cast<std::int64_t>(t));
                pass_.add(tile.get(), some, 0, all_.length);
                for (const Doubtful& each : finish(tile.get(), some))
                    put(each, exact_of(each, 0, all_.length));
            };
            return for_each_task(static_cast<std::size_t>(tiles_), threads_, task);
        }
        record(Route::dot_parts);
        std::vector<Room> states;
        for (std::int64_t i = 0; i < tiles_ * parts_; ++i) states.emplace_back(tile_bytes);
        auto task = [&](std::size_t i, std::size_t) {
            const std::int64_t begin = static_cast<std::int64_t>(i) % parts_ * part_;
            pass_.add(states[i].get(), some_of(static_cast<std::int64_t>(i) / parts_), begin,
                      std::min(begin + part_, all_.length));
        };
        for_each_task(states.size(), threads_, task);
        for (std::int64_t t = 0; t < tiles_; ++t) join(states.data() + t * parts_, some_of(t));
    }

  private:
    // Cuts the work into at least so many tasks, if there is enough of it.
    void share_out(std::int64_t shares) {
        std::int64_t worth = std::max<std::int64_t>(dot_task_bytes / (all_.length * item_),
                                                    all_.by_columns ? std::int64_t{dot_row} : 1);
        const std::int64_t least_worth =
            all_.by_columns ? std::min<std::int64_t>(all_.side().size, dot_short_row) : 8;
        worth = std::max(std::min(worth, divided_up(all_.count, shares)), least_worth);
        if (!all_.by_columns) worth = divided_up(worth, 8) * 8;
        each_ = std::clamp<std::int64_t>(worth, 1, most_vectors);
        tiles_ = divided_up(all_.count, each_);
        const std::int64_t least =
            all_.by_columns ? std::max<std::int64_t>(dot_part_elements / all_.side().size, dot_part_rows)
                            : dot_part_elements;
        parts_ = tiles_ >= shares ? 1
                                  : std::clamp<std::int64_t>(divided_up(2 * shares, tiles_), 1,
                                                             divided_up(all_.length, least));
        part_ = divided_up(divided_up(all_.length, parts_), all_.fold) * all_.fold;
        parts_ = divided_up(all_.length, part_);
    }

    // A pair of vectors whose result is not certain.
    struct Doubtful {
        const char *a, *b;
        std::int64_t out;
        bool is_rough_finite;
    };

    DotRange some_of(std::int64_t tile) const {
        const std::int64_t first = tile * each_;
        return {first, std::min(each_, all_.count - first)};
    }

    double lost() const {
        return all_.format == Format::f64 ? product_underflow * static_cast<double>(all_.length) : 0;
    }

    // Writes the results that are certain.
    std::vector<Doubtful> finish(char* tile, const DotRange& some) const {
        std::vector<Doubtful> doubtful;
        const std::size_t size = size_of(all_.result);
        alignas(64) char results[most_vectors * 8];
        std::uint8_t failed[most_vectors];
        const std::size_t failures = finish_all(tile, static_cast<std::size_t>(some.count), results, failed);
        DotWalk walk(all_, some.first);
        for (std::int64_t j = 0; j < some.count;) {
            const std::int64_t now = std::min(walk.run(), some.count - j), step = all_.side().out;
            scatter(results + static_cast<std::size_t>(j) * size, static_cast<std::size_t>(now), size,
                    static_cast<char*>(all_.out) + walk.out() * static_cast<std::int64_t>(size),
                    step * static_cast<std::int64_t>(size));
            if (failures > 0) add_doubtful(tile, j, now, failed, walk, doubtful);
            walk.skip(now);
            j += now;
        }
        return doubtful;
    }

    std::size_t finish_all(char* tile, std::size_t n, char* results, std::uint8_t* failed) const {
        if (!is_byte_float(all_.result))
            return method_.finish(tile, 0, n, lost(), all_.result, results, failed);
        std::size_t failures = 0;
        for (std::size_t j = 0; j < n; ++j) {
            std::uint64_t bits = 0;
            Sum total = method_.total(tile, j);
            total.bound += lost();
            failed[j] = !round_to_byte(total, all_.result, bits);
            failures += failed[j];
            store_bits(results, j, bits, 1);
        }
        return failures;
    }

    void add_doubtful(const char* tile, std::int64_t first, std::int64_t n, const std::uint8_t* failed,
                      const DotWalk& walk, std::vector<Doubtful>& to) const {
        const DotDim side = all_.side();
        for (std::int64_t k = 0; k < n; ++k) {
            const std::size_t j = static_cast<std::size_t>(first + k);
            if (failed[j] == 0) continue;
            const bool is_finite = magnitude(method_.total(tile, j).hi) < __builtin_huge_val();
            to.push_back(
                {walk.a() + k * side.a, walk.b() + k * side.b, walk.out() + k * side.out, is_finite});
        }
    }

    Superaccumulator exact_of(const Doubtful& each, std::int64_t begin, std::int64_t end) const {
        return exact_dot(all_, each.a, each.b, begin, end, each.is_rough_finite);
    }

    void put(const Doubtful& each, const Superaccumulator& total) const {
        record(Route::dot_exact);
        const std::uint64_t bits = total.rounded({Finalize::itself, all_.result, all_.length});
        store_bits(all_.out, static_cast<std::size_t>(each.out), bits, size_of(all_.result));
    }

    // The parts of the same vectors.
    void join(const Room* states, const DotRange& some) const {
        char* const tile = states[0].get();
        for (std::int64_t i = 1; i < parts_; ++i) {
            for (std::size_t j = 0; j < static_cast<std::size_t>(some.count); ++j)
                method_.merge(tile, j, states[i].get(), j);
        }
        const std::vector<Doubtful> doubtful = finish(tile, some);
        if (doubtful.size() >= threads_) {
            auto task = [&](std::size_t i, std::size_t) {
                put(doubtful[i], exact_of(doubtful[i], 0, all_.length));
            };
            return for_each_task(doubtful.size(), threads_, task);
        }
        for (const Doubtful& each : doubtful) {
            std::vector<Superaccumulator> totals(static_cast<std::size_t>(parts_));
            auto task = [&](std::size_t i, std::size_t) {
                const std::int64_t begin = static_cast<std::int64_t>(i) * part_;
                totals[i] = exact_of(each, begin, std::min(begin + part_, all_.length));
            };
            for_each_task(totals.size(), threads_, task);
            for (std::size_t i = 1; i < totals.size(); ++i) totals[0].merge(totals[i]);
            put(each, totals[0]);
        }
    }

    const DotLayout all_;
    const DotMethod& method_;
    const DotPass pass_;
    const std::int64_t item_;
    bool is_brief_;
    std::size_t threads_;
    std::int64_t each_, tiles_, parts_, part_;  // vectors of a tile, elements of a part
};

}  // namespace

void dot_products(const DotCall& call) {
    const FloatingPointScope scope;
    Job(call).run();
}

}  // namespace samesum
