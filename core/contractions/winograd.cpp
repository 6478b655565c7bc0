#include "contractions/winograd.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "contractions/elements.hpp"
#include "contractions/plan.hpp"
#include "select/contraction_thresholds.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::size_t points = winograd_points, outputs = 4, taps_at_once = 3;
// Of a task: sums at all points stay near.
constexpr std::size_t most_rows = 48, most_columns = 96;

std::size_t unsign(std::int64_t n) { return static_cast<std::size_t>(n); }

// From the sums of squares of the six elements of each column, `pitch` apart: norms at the points. By Cauchy
// the square of a sum of |b x| is at most the sum of the |b| times that of all |b| x^2.
void take_norms_at_points(double* squares, std::size_t pitch, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        double x[points];
        for (std::size_t i = 0; i < points; ++i) x[i] = squares[i * pitch + j];
        const double near = 10 * (4 * x[1] + 4 * x[2] + x[3] + x[4]),
                     far = 6 * (2 * x[1] + x[2] + 2 * x[3] + x[4]);
        const double of[points] = {10 * (4 * x[0] + 5 * x[2] + x[4]), near, near, far, far,
                                   10 * (4 * x[1] + 5 * x[3] + x[5])};
        for (std::size_t t = 0; t < points; ++t) squares[t * pitch + j] = of[t];
    }
    for (std::size_t t = 0; t < points; ++t) take_norms(squares + t * pitch, n);
}

class Winograd {
  public:
    Winograd(const Contraction& call, const ContractionOperand& tiles, const std::vector<Taps>& axes)
        : call_(call),
          tiles_(tiles),
          kernel_(unsign(axes.back().taps)),
          threes_(divided_up(kernel_, taps_at_once)),
          lines_(call.a.inner.size() / kernel_),
          along_(unsign(axes.back().outputs)),
          groups_(call.a.batch.size()),
          rows_(call.a.outer.size()),
          strips_(divided_up(tiles.outer.size(), most_columns)),
          columns_(rounded_up(divided_up(tiles.outer.size(), strips_), of_.columns)),
          block_lines_(contraction_block / threes_) {
        const std::size_t met = tiles.inner.size() / lines_;
        for (std::size_t line = 0; line < lines_; ++line)
            for (std::size_t three = 0; three < threes_; ++three)
                for (std::size_t i = 0; i < points; ++i)
                    elements_.push_back(tiles.inner[line * met + taps_at_once * three + i]);
    }

    bool run() {
        const int threads = threads_for(call_.multiplications(), contraction_threaded);
        const std::size_t all = groups_ * strips_, panels = columns_ / of_.columns,
                          size = points * (columns_ * terms_ + columns_),
                          most = unsign(contraction_packed_bytes) / (size * sizeof(double)),
                          together = std::min(all, std::max<std::size_t>(most, 1)),
                          parts = divided_up(rows_, most_rows);
        const Scratch packed(together * size * sizeof(double));
        for (std::size_t first = 0; first < all && !gives_up(); first += together) {
            const std::size_t now = std::min(together, all - first);
            const auto room = [&](std::size_t s) {
                return reinterpret_cast<double*>(packed.get()) + s * size;
            };
            auto pack = [&](std::size_t i, std::size_t) {
                transform_panel(first + i / panels, i % panels * of_.columns, room(i / panels));
            };
            for_each_task(now * panels, threads, pack);
            auto multiply = [&](std::size_t i, std::size_t) {
                const std::size_t row = i % parts * most_rows;
                if (!gives_up())
                    make(first + i / parts, row, std::min(most_rows, rows_ - row), room(i / parts));
            };
            for_each_task(now * parts, threads, multiply);
        }
        return !gives_up();
    }

  private:
    std::size_t strip_size(std::size_t s) const {
        return std::min(columns_,
                        tiles_.outer.size() - std::min(tiles_.outer.size(), s % strips_ * columns_));
    }
    bool gives_up() const {
        return doubts_ * unsign(contraction_given_up_share) > groups_ * rows_ * call_.out.inner.size();
    }

    // The columns of a strip from number `column` on, at all points; behind all panels their norms.
    void transform_panel(std::size_t s, std::size_t column, double* to) const {
        const std::size_t n = strip_size(s), pitch = columns_ * terms_;
        if (column >= n) return;
        double* const norms = to + points * pitch + column;
        for (std::size_t t = 0; t < points; ++t) std::fill_n(norms + t * columns_, of_.columns, 0);
        std::vector<double> squares(points * of_.columns);
        methods_.winograd.transform_columns(
            {tiles_.data + tiles_.batch[s / strips_], &tiles_.outer[s % strips_ * columns_ + column],
             elements_.data(), std::min(of_.columns, n - column), terms_, tiles_.format},
            to + column * terms_, pitch, squares.data());
        take_norms_at_points(squares.data(), of_.columns, of_.columns);
        for (std::size_t t = 0; t < points; ++t)
            std::copy_n(squares.data() + t * of_.columns, of_.columns, norms + t * columns_);
    }

    // Taps are transformed for each strip again, block by block: that is cheaper than memory for all of them.
    void make(std::size_t s, std::size_t row, std::size_t count, const double* panels) {
        const std::size_t n = strip_size(s), pitch = columns_ * terms_, g = s / strips_,
                          size = rounded_up(count, of_.rows) * columns_;
        if (n == 0) return;
        const Scratch room((points * size + (points * threes_ + kernel_) * block_lines_ * of_.rows) *
                           sizeof(double));
        double *const sums = reinterpret_cast<double*>(room.get()), *const weights = sums + points * size,
                      *const panel = weights + points * threes_ * block_lines_ * of_.rows;
        double norms[most_rows + contraction_vector][points] = {};
        std::fill_n(sums, points * size, 0);
        for (std::size_t line = 0; line < lines_; line += block_lines_) {
            const std::size_t lines = std::min(block_lines_, lines_ - line), now = lines * threes_;
            for (std::size_t r = 0; r < count; r += of_.rows) {
                of_.pack_rows({call_.a.data + call_.a.batch[g], &call_.a.outer[row + r],
                               call_.a.inner.data() + line * kernel_, std::min(of_.rows, count - r),
                               lines * kernel_, call_.a.format},
                              panel);
                methods_.winograd.transform_taps(panel, lines, kernel_, weights, now * of_.rows, norms[r]);
                for (std::size_t t = 0; t < points; ++t)
                    for (std::size_t c = 0; c < n; c += of_.columns)
                        methods_.winograd.multiply(
                            weights + t * now * of_.rows,
                            panels + t * pitch + c * terms_ + line * threes_ * of_.columns,
                            std::min(of_.columns, n - c), now, sums + t * size + r * columns_ + c, columns_);
            }
        }
        // Bounds are products of these and of the norms of columns. (Lemma 91)
        const double additions =
            static_cast<double>(std::min(terms_, contraction_block) + lines_ / block_lines_ + 16);
        for (std::size_t r = 0; r < count; ++r) {
            take_norms(norms[r], points);
            for (double& each : norms[r]) each *= additions * unit_roundoff * bound_slack;
        }
        finish(s, row, count, sums, size, norms, panels + points * pitch);
    }

    void finish(std::size_t s, std::size_t row, std::size_t count, const double* sums, std::size_t pitch,
                const double (*row_norms)[points], const double* norms) {
        const std::size_t g = s / strips_, begin = s % strips_ * columns_, end = begin + strip_size(s);
        std::optional<ContractionElements> elements;
        alignas(64) double hi[outputs * most_columns + contraction_vector],
            bounds[outputs * most_columns + contraction_vector],
            addends[outputs * most_columns + contraction_vector];
        std::uint8_t failed[outputs * most_columns + contraction_vector];
        char results[outputs * most_columns * sizeof(double)];
        const ContractionOperand &c = call_.c, &out = call_.out;
        const std::size_t size = size_of(out.format), in_line = divided_up(along_, outputs);
        for (std::size_t r = row; r < row + count; ++r) {
            methods_.winograd.combine(sums + (r - row) * columns_, pitch, end - begin, row_norms[r - row],
                                      norms, columns_, hi, bounds);
            char* const to = const_cast<char*>(out.data) + out.batch[g] + out.outer[r];
            for (std::size_t tile = begin, next; tile < end; tile = next) {
                next = std::min(end, (tile / in_line + 1) * in_line);
                const std::size_t column = tile / in_line * along_ + tile % in_line * outputs,
                                  n = std::min(outputs * (next - tile), along_ - tile % in_line * outputs),
                                  at = outputs * (tile - begin);
                const bool is_row = are_neighbours(&out.inner[column], n, size);
                if (c.data != nullptr)
                    methods_.gather({c.data + c.batch[g], &c.outer[r], &c.inner[column], 1, n, c.format},
                                    Format::f64, addends);
                const std::size_t failures = methods_.finish(
                    {hi + at, nullptr, bounds + at, 1, c.data != nullptr ? addends : nullptr, 1, 1, false}, n,
                    out.format, is_row ? to + out.inner[column] : results, failed);
                if (!is_row) put_results(results, n, size, to, &out.inner[column]);
                if (failures == 0) continue;
                doubts_ += failures;
                if (gives_up()) return;
                if (!elements) elements.emplace(call_);
                for (std::size_t j = 0; j < n; ++j)
                    if (failed[j] != 0) elements->put(g, r, column + j);
            }
        }
    }

    const Contraction& call_;
    const ContractionOperand& tiles_;
    const ContractionMethods& methods_ = *current_instruction_set().contractions;
    const ContractionMethod& of_ = methods_.floats;
    const std::size_t kernel_, threes_, lines_, terms_ = threes_ * lines_, along_;
    const std::size_t groups_, rows_, strips_, columns_, block_lines_;
    std::vector<std::int64_t> elements_;
    std::atomic<std::size_t> doubts_ = 0;
};

}  // namespace

std::optional<std::vector<Taps>> winograd_taps(const Contraction& call, const std::vector<Taps>& axes) {
    const Taps& last = axes.back();
    const bool fits = is_float(call.a.format) && call.a.format != Format::f64 &&
                      call.out.format != Format::f64 && last.taps >= 3 &&
                      last.taps <= 3 * static_cast<std::int64_t>(contraction_block) && last.reach == 1 &&
                      last.step == 1 && last.outputs >= 4;
    if (!fits || static_cast<std::int64_t>(call.a.outer.size()) < contraction_winograd_rows) return {};
    const ContractionMethod& method = current_instruction_set().contractions->floats;
    const std::size_t taps = unsign(last.taps), threes = divided_up(taps, taps_at_once),
                      tiles = call.out.inner.size() / unsign(last.outputs) *
                              divided_up(unsign(last.outputs), outputs);
    const std::size_t before = taps * rounded_up(call.out.inner.size(), method.columns),
                      after = points * threes * rounded_up(tiles, method.columns);
    if (static_cast<std::int64_t>(100 * after) >
            contraction_winograd_cost * static_cast<std::int64_t>(before) ||
        static_cast<std::int64_t>(call.a.inner.size() / taps * threes) < contraction_winograd_rows)
        return {};
    std::vector<Taps> found = axes;
    found.back() = {last.start, 4, 1, static_cast<std::int64_t>(divided_up(unsign(last.outputs), outputs)),
                    static_cast<std::int64_t>(3 * threes + 3)};
    return found;
}

bool convolve_by_winograd(const Contraction& call, const ContractionOperand& tiles,
                          const std::vector<Taps>& axes) {
    record(Route::contraction_winograd);
    const FloatingPointScope scope;
    return Winograd(call, tiles, axes).run();
}

}  // namespace samesum
