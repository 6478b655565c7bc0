// Cumulative logarithms of sums of exponentials.
#include <algorithm>
#include <vector>

#include "arithmetic/division.hpp"
#include "exact/exponentials/exponential_total.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/scans/scan.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Elements of each line that are copied at a time.
constexpr std::int64_t copied_rows = 64;

// Lines side by side, or parts of one line, that are columns of a tile: `step` bytes from one to the next.
struct Columns {
    const char* x;
    char* out;
    std::int64_t count, in, to;
    std::int64_t rows, last_rows;  // of all, and of the last one
};

// A prefix that is not certain: of the line at x, whose results are at `out`, the one at `row`.
struct Doubtful {
    const char* x;
    char* out;
    std::int64_t row;
};

class ExponentialScan {
  public:
    explicit ExponentialScan(const ScanPlan& plan)
        : plan_(plan),
          method_(exponential_words_method(plan.in)),
          item_(plan.item()),
          side_(plan.lines.rank > 0 && !plan.columns ? plan.lines.dim[plan.lines.rank - 1] : plan.inner),
          work_(plan.bytes(), scan_threaded_bytes, scan_brief_bytes) {
        outer_ = plan.lines;
        if (!plan.columns && outer_.rank > 0) --outer_.rank;
        const std::int64_t shares = 2 * work_.threads;
        width_ = std::clamp<std::int64_t>(
            divided_up(side_.size, std::max<std::int64_t>(1, shares / outer_.count())),
            std::min<std::int64_t>(side_.size, exponential_columns),
            std::min<std::int64_t>(side_.size, exponential_tile));
        tiles_ = divided_up(side_.size, width_);
    }

    void run() const {
        const bool in_parts = side_.size < exponential_columns && plan_.axis.size >= exponential_long_line;
        record(in_parts ? Route::scan_exponential_parts : Route::scan_exponentials);
        if (in_parts) return run_lines();
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t number = static_cast<std::int64_t>(t), first = number % tiles_ * width_;
            const Offsets at = offsets_at(outer_, number / tiles_);
            const Columns some{plan_.data + at.in + first * side_.in,
                               plan_.out + at.out + first * side_.out,
                               std::min(width_, side_.size - first),
                               side_.in,
                               side_.out,
                               plan_.axis.size,
                               plan_.axis.size};
            const Scratch tile(tile_bytes);
            method_.init(tile.get(), static_cast<std::size_t>(some.count));
            std::vector<Doubtful> doubtful;
            scan(some, tile.get(), doubtful, [&](std::int64_t j, std::int64_t row) {
                return Doubtful{some.x + j * some.in, some.out + j * some.to, row};
            });
            repair(doubtful);
        };
        for_each_task(static_cast<std::size_t>(outer_.count() * tiles_), work_.threads, task);
    }

  private:
    // Few long lines, one after the other: each is cut into parts, which are columns that begin with what
    // comes before them.
    void run_lines() const {
        Walk walk(outer_, 0);
        for (std::int64_t i = 0; i < outer_.count(); ++i, walk.next()) {
            const char* const x = plan_.data + walk.in();
            char* const out = plan_.out + walk.out();
            for (std::int64_t k = 0; k < side_.size; ++k) run_line(x + k * side_.in, out + k * side_.out);
        }
    }

    void run_line(const char* x, char* out) const {
        const std::int64_t n = plan_.axis.size,
                           parts = std::min<std::int64_t>(exponential_parts, n / exponential_part),
                           rows = divided_up(n, parts), count = divided_up(n, rows);
        const Scratch totals(tile_bytes), before(tile_bytes);
        method_.init(totals.get(), static_cast<std::size_t>(count));
        method_.init(before.get(), static_cast<std::size_t>(count));
        const auto rows_of = [&](std::int64_t j) { return std::min(rows, n - j * rows); };
        auto total = [&](std::size_t j, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(j) * rows;
            add_all(method_, totals.get(), j, x + first * plan_.axis.in,
                    rows_of(static_cast<std::int64_t>(j)));
        };
        for_each_task(static_cast<std::size_t>(count), work_.threads, total);
        for (std::size_t j = 1; j < static_cast<std::size_t>(count); ++j) {
            method_.merge(before.get(), j, totals.get(), j - 1, 1);
            method_.merge(before.get(), j, before.get(), j - 1, 1);
        }
        std::vector<std::vector<Doubtful>> doubtful(
            static_cast<std::size_t>(divided_up(count, exponential_columns)));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * exponential_columns,
                               some_count = std::min<std::int64_t>(exponential_columns, count - first);
            const Columns some{x + first * rows * plan_.axis.in,
                               out + first * rows * plan_.axis.out,
                               some_count,
                               rows * plan_.axis.in,
                               rows * plan_.axis.out,
                               rows,
                               rows_of(first + some_count - 1)};
            const Scratch tile(tile_bytes);
            method_.init(tile.get(), static_cast<std::size_t>(some_count));
            method_.merge(tile.get(), 0, before.get(), static_cast<std::size_t>(first),
                          static_cast<std::size_t>(some_count));
            scan(some, tile.get(), doubtful[t], [&](std::int64_t j, std::int64_t row) {
                return Doubtful{x, out, (first + j) * rows + row};
            });
        };
        for_each_task(doubtful.size(), work_.threads, task);
        std::vector<Doubtful> all;
        for (const auto& some : doubtful) all.insert(all.end(), some.begin(), some.end());
        repair(all);
    }

    // n elements along the axis, as they lie or copied.
    void add_all(const Method& method, void* tile, std::size_t j, const char* x, std::int64_t n) const {
        alignas(64) char buffer[copied_rows * 8];
        for (std::int64_t i = 0; i < n; i += copied_rows) {
            const std::size_t now = static_cast<std::size_t>(std::min(copied_rows, n - i));
            method.lanes(tile, j, plan_.elements_at(x + i * plan_.axis.in, plan_.axis.in, now, buffer), now,
                         0, 1);
        }
    }

    // Row after row, from blocks that are copied; where(column, row) of each prefix that is not certain.
    template <class Where>
    void scan(const Columns& some, void* tile, std::vector<Doubtful>& doubtful, const Where& where) const {
        const std::int64_t pitch = some.count * item_ + 64;
        const Scratch room(static_cast<std::size_t>(2 * copied_rows * pitch));
        char* const results = room.get() + copied_rows * pitch;
        std::vector<std::uint8_t> failed(static_cast<std::size_t>(some.count) + 64);
        for (std::int64_t r = 0; r < some.rows; r += copied_rows) {
            const std::int64_t now = std::min(copied_rows, some.rows - r);
            move_in(some, r, now, room.get(), pitch);
            for (std::int64_t k = 0; k < now; ++k) {
                const std::int64_t count = r + k < some.last_rows ? some.count : some.count - 1;
                const std::size_t n = static_cast<std::size_t>(count);
                if (n == 0) break;
                method_.columns(tile, room.get() + k * pitch, 0, 1, n);
                const Finish how{Finalize::logarithm, plan_.in, r + k + 1};
                if (method_.finish(tile, n, how, results + k * pitch, failed.data()) == 0) continue;
                for (std::int64_t j = 0; j < count; ++j)
                    if (failed[static_cast<std::size_t>(j)] != 0) doubtful.push_back(where(j, r + k));
            }
            move_out(some, r, now, results, pitch);
        }
    }

    // How many of `now` rows from r on column j has.
    static std::int64_t rows_of(const Columns& some, std::int64_t j, std::int64_t r, std::int64_t now) {
        return j + 1 < some.count ? now : std::clamp<std::int64_t>(some.last_rows - r, 0, now);
    }

    // Copies a block of rows, along what lies closer together.
    void move_in(const Columns& some, std::int64_t r, std::int64_t now, char* to, std::int64_t pitch) const {
        const std::size_t size = static_cast<std::size_t>(item_);
        const char* const from = some.x + r * plan_.axis.in;
        const bool by_rows = std::abs(some.in) < std::abs(plan_.axis.in) && some.last_rows == some.rows;
        for (std::int64_t k = 0; by_rows && k < now; ++k)
            gather(from + k * plan_.axis.in, some.in, static_cast<std::size_t>(some.count), size,
                   plan_.swapped, to + k * pitch);
        for (std::int64_t j = 0; !by_rows && j < some.count; ++j)
            copy_elements(from + j * some.in, plan_.axis.in, to + j * item_, pitch,
                          static_cast<std::size_t>(rows_of(some, j, r, now)), size, plan_.swapped);
    }

    void move_out(const Columns& some, std::int64_t r, std::int64_t now, const char* from,
                  std::int64_t pitch) const {
        const std::size_t size = static_cast<std::size_t>(item_);
        char* const to = some.out + r * plan_.axis.out;
        const bool by_rows = std::abs(some.to) < std::abs(plan_.axis.out) && some.last_rows == some.rows;
        for (std::int64_t k = 0; by_rows && k < now; ++k)
            scatter(from + k * pitch, static_cast<std::size_t>(some.count), size, to + k * plan_.axis.out,
                    some.to);
        for (std::int64_t j = 0; !by_rows && j < some.count; ++j)
            copy_elements(from + j * item_, pitch, to + j * some.to, plan_.axis.out,
                          static_cast<std::size_t>(rows_of(some, j, r, now)), size, false);
    }

    // Sums the line from its first element on in more precise words; true if the result is certain.
    bool is_settled(const Doubtful& each) const {
        const ExponentialPrefixMethods& methods = current_instruction_set().exponentials->prefix;
        const auto widen = current_instruction_set().norms->widen[static_cast<std::size_t>(plan_.in)];
        constexpr std::int64_t block = static_cast<std::int64_t>(prefix_elements);
        alignas(64) char buffer[prefix_elements * 8];
        alignas(64) double x[prefix_elements];
        const auto each_block = [&](const auto& take) {
            for (std::int64_t i = 0; i <= each.row; i += block) {
                const std::size_t now = static_cast<std::size_t>(std::min(block, each.row + 1 - i));
                widen(plan_.elements_at(each.x + i * plan_.axis.in, plan_.axis.in, now, buffer), now, x);
                take(now);
            }
        };
        double top = -__builtin_huge_val();
        each_block([&](std::size_t n) {
            const double found = methods.greatest(x, n);
            top = !(found <= top) && top == top ? found : top;
        });
        if (!(magnitude(top) < __builtin_huge_val())) return false;
        ExponentialPrefix state{top, 0, {}};
        each_block([&](std::size_t n) { methods.add(state, x, n); });
        return methods.finish(state, plan_.in, each.out + each.row * plan_.axis.out);
    }

    // Where few prefixes of each line are left, which is the rule, and line by line in integers: each element
    // is taken once.
    void repair(std::vector<Doubtful>& doubtful) const {
        if (static_cast<std::int64_t>(doubtful.size()) <= exponential_doubtful)
            record(Route::repaired_exponential_words,
                   std::erase_if(doubtful, [this](const Doubtful& each) { return is_settled(each); }));
        record(Route::repaired_exponentials, doubtful.size());
        std::sort(doubtful.begin(), doubtful.end(), [](const Doubtful& a, const Doubtful& b) {
            return a.out != b.out ? a.out < b.out : a.row < b.row;
        });
        const Method& method = exponential_total_method(plan_.in);
        const Scratch tile(tile_bytes);
        std::int64_t done = 0;
        for (std::size_t i = 0; i < doubtful.size(); ++i) {
            const Doubtful& each = doubtful[i];
            if (i == 0 || each.out != doubtful[i - 1].out) {
                method.init(tile.get(), 1);
                done = 0;
            }
            add_all(method, tile.get(), 0, each.x + done * plan_.axis.in, each.row + 1 - done);
            done = each.row + 1;
            std::uint8_t failed;
            method.finish(tile.get(), 1, {Finalize::logarithm, plan_.in, done},
                          each.out + each.row * plan_.axis.out, &failed);
        }
    }

    const ScanPlan& plan_;
    const Method method_;
    const std::int64_t item_;
    const Dim side_;
    const SharedWork work_;
    Dims outer_;
    std::int64_t width_, tiles_;
};

}  // namespace

void scan_exponentials(const View& x, int axis, bool reverse, void* out) {
    const FloatingPointScope scope;
    const ScanPlan plan = plan_scan(x, axis, {false, reverse, false}, x.format, out);
    ExponentialScan(plan).run();
}

}  // namespace samesum
