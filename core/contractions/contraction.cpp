#include "contractions/contraction.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "arithmetic/division.hpp"
#include "arithmetic/rounding.hpp"
#include "contractions/elements.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/room.hpp"
#include "select/contraction_thresholds.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

using Offsets = std::vector<std::int64_t>;

bool are_equal(const Offsets& x) { return std::all_of(x.begin(), x.end(), [&](auto each) { return each == x[0]; }); }

// Of each element of `first` the elements of `second`.
void join(Offsets& first, Offsets& second) {
    Offsets all;
    all.reserve(first.size() * second.size());
    for (const std::int64_t x : first)
        for (const std::int64_t y : second) all.push_back(x + y);
    second = std::move(all);
    first = {0};
}

// Where one operand is the same in all batches, those of the other one are more of its rows.
void join_batches(Contraction& call) {
    if (call.out.batch.size() == 1) return;
    if (are_equal(call.b.batch)) {
        call.b.batch.resize(1);
        for (ContractionOperand* x : {&call.a, &call.c, &call.out}) join(x->batch, x->outer);
    } else if (are_equal(call.a.batch)) {
        call.a.batch.resize(1);
        join(call.b.batch, call.b.outer);
        for (ContractionOperand* x : {&call.c, &call.out}) join(x->batch, x->inner);
    }
}

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

class Job {
  public:
    explicit Job(const Contraction& call)
        : call_(call),
          methods_(*current_instruction_set().contractions),
          method_(is_float(call.a.format)            ? methods_.floats
                  : size_of(call.out.format) <= 4 ? methods_.words32
                                                     : methods_.words64),
          rows_(call.a.outer.size()),
          columns_(call.b.outer.size()),
          terms_(call.a.inner.size()),
          tile_rows_(std::min(contraction_rows, rounded_up(rows_, method_.rows))),
          tile_columns_(std::min(contraction_columns, rounded_up(columns_, method_.columns))),
          row_tiles_((rows_ + tile_rows_ - 1) / tile_rows_),
          column_tiles_((columns_ + tile_columns_ - 1) / tile_columns_),
          panel_bytes_(rounded_up(terms_ * method_.columns * method_.column_size, 64)),
          panels_(tile_columns_ / method_.columns) {
        const double additions = static_cast<double>(std::min(terms_, contraction_block) + terms_ / contraction_block + 3);
        bound_of_norms_ = additions * unit_roundoff * bound_slack;
        const std::int64_t all = call.multiplications();
        is_brief_ = all < contraction_brief;
        threads_ = all >= contraction_threaded ? static_cast<std::size_t>(thread_count()) : 1;
    }

    void run() {
        const BriefWork brief(is_brief_);
        if (is_float(call_.a.format) && (call_.a.format == Format::f64 || !std::isfinite(call_.alpha) || !std::isfinite(call_.beta)))
            return run_elements();
        const std::size_t strips = call_.out.batch.size() * column_tiles_, strip_bytes = panels_ * panel_bytes_;
        const std::size_t together = std::min(
            strips, std::max<std::size_t>(1, static_cast<std::size_t>(contraction_packed_bytes) / (strip_bytes + 1)));
        const Room packed(together * strip_bytes);
        std::vector<double> norms(together * tile_columns_ + contraction_vector);
        panels_at_ = packed.get();
        norms_ = norms.data();
        for (first_ = 0; first_ < strips; first_ += together) {
            const std::size_t now = std::min(together, strips - first_);
            auto pack = [&](std::size_t i, std::size_t) { pack_panel(i / panels_, i % panels_); };
            for_each_task(now * panels_, threads_, pack);
            auto multiply = [&](std::size_t i, std::size_t) { make_tile(i / row_tiles_, i % row_tiles_); };
            for_each_task(now * row_tiles_, threads_, multiply);
        }
    }

  private:
    // Columns [column, column + columns) of batch g, by the number of their strip in this round.
    struct Strip {
        std::size_t g, column, columns;
    };
    Strip strip(std::size_t s) const {
        const std::size_t g = (first_ + s) / column_tiles_, column = (first_ + s) % column_tiles_ * tile_columns_;
        return {g, column, std::min(tile_columns_, columns_ - column)};
    }
    char* panel(std::size_t s, std::size_t p) const { return panels_at_ + (s * panels_ + p) * panel_bytes_; }

    void pack_panel(std::size_t s, std::size_t p) const {
        const Strip all = strip(s);
        const std::size_t first = p * method_.columns;
        if (first >= all.columns) return;
        method_.pack_columns({call_.b.data + call_.b.batch[all.g], call_.b.outer.data() + all.column + first,
                              call_.b.inner.data(), std::min(method_.columns, all.columns - first), terms_,
                              call_.b.format},
                             panel(s, p));
        if (!is_float(call_.a.format)) return;
        double* const norms = norms_ + s * tile_columns_ + first;
        std::fill_n(norms, method_.columns, 0);
        methods_.column_squares(panel(s, p), terms_, norms);
        for (std::size_t j = 0; j < method_.columns; ++j) norms[j] = std::sqrt(norms[j]);
    }

    struct Tile {
        Strip strip;
        std::size_t row, rows, pitch;
        Room sums, block;
        double norms[contraction_rows] = {};
    };

    void make_tile(std::size_t s, std::size_t t) const {
        const Strip all = strip(s);
        const std::size_t row = t * tile_rows_, rows = std::min(tile_rows_, rows_ - row),
                          pitch = rounded_up(all.columns, method_.columns), padded = rounded_up(rows, method_.rows);
        Tile tile{all, row, rows, pitch, Room(padded * pitch * method_.sum_size),
                  Room(padded * contraction_block * method_.row_size)};
        std::memset(tile.sums.get(), 0, padded * pitch * method_.sum_size);
        for (std::size_t k = 0; k < terms_; k += contraction_block)
            add_block(tile, s, k, std::min(contraction_block, terms_ - k));
        if (is_float(call_.a.format))
            finish(tile, norms_ + s * tile_columns_);
        else
            finish_integers(tile);
    }

    void add_block(Tile& tile, std::size_t s, std::size_t k, std::size_t terms) const {
        const std::size_t panel_size = contraction_block * method_.rows * method_.row_size;
        for (std::size_t r = 0; r < tile.rows; r += method_.rows) {
            char* const to = tile.block.get() + r / method_.rows * panel_size;
            method_.pack_rows({call_.a.data + call_.a.batch[tile.strip.g], call_.a.outer.data() + tile.row + r,
                               call_.a.inner.data() + k, std::min(method_.rows, tile.rows - r), terms, call_.a.format},
                              to);
            if (is_float(call_.a.format)) methods_.row_squares(to, terms, tile.norms + r);
        }
        for (std::size_t c = 0; c < tile.strip.columns; c += method_.columns) {
            const char* const columns = panel(s, c / method_.columns) + k * method_.columns * method_.column_size;
            for (std::size_t r = 0; r < tile.rows; r += method_.rows)
                method_.multiply(tile.block.get() + r / method_.rows * panel_size, columns, terms,
                                 tile.sums.get() + (r * tile.pitch + c) * method_.sum_size, tile.pitch);
        }
    }

    char* place(const Tile& tile, std::size_t r) const {
        return const_cast<char*>(call_.out.data) + call_.out.batch[tile.strip.g] + call_.out.outer[tile.row + r];
    }

    void finish(const Tile& tile, const double* norms) const {
        const Strip& all = tile.strip;
        const ContractionOperand& c = call_.c;
        const std::size_t size = size_of(call_.out.format);
        alignas(64) double addends[contraction_columns + contraction_vector];
        alignas(64) char results[(contraction_columns + contraction_vector) * 8];
        std::uint8_t failed[contraction_columns];
        std::optional<ContractionElements> elements;
        for (std::size_t r = 0; r < tile.rows; ++r) {
            if (c.data != nullptr)
                methods_.gather({c.data + c.batch[all.g], &c.outer[tile.row + r], c.inner.data() + all.column, 1, all.columns,
                                 c.format}, Format::f64, addends);
            const ContractionSums sums{reinterpret_cast<const double*>(tile.sums.get()) + r * tile.pitch, nullptr, norms,
                                       bound_of_norms_ * std::sqrt(tile.norms[r]), c.data != nullptr ? addends : nullptr,
                                       call_.alpha, call_.beta, false};
            const std::size_t failures = methods_.finish(sums, all.columns, call_.out.format, results, failed);
            char* const to = place(tile, r);
            const std::int64_t* const places = call_.out.inner.data() + all.column;
            for (std::size_t j = 0; j < all.columns; ++j) std::memcpy(to + places[j], results + j * size, size);
            if (failures == 0) continue;
            if (!elements) elements.emplace(call_);
            for (std::size_t j = 0; j < all.columns; ++j)
                if (failed[j]) elements->put(all.g, tile.row + r, all.column + j);
        }
    }

    void finish_integers(const Tile& tile) const {
        const ContractionOperand& c = call_.c;
        const std::size_t size = size_of(call_.out.format);
        for (std::size_t r = 0; r < tile.rows; ++r) {
            const char* const sums = tile.sums.get() + r * tile.pitch * method_.sum_size;
            for (std::size_t j = 0; j < tile.strip.columns; ++j) {
                std::uint64_t word = 0, addend = 0;
                const std::size_t column = tile.strip.column + j;
                std::memcpy(&word, sums + j * method_.sum_size, method_.sum_size);
                if (c.data != nullptr)
                    std::memcpy(&addend, c.data + c.batch[tile.strip.g] + c.outer[tile.row + r] + c.inner[column], size);
                store_bits(place(tile, r) + call_.out.inner[column], 0, word + addend, size);
            }
        }
    }

    void run_elements() const {
        auto task = [&](std::size_t i, std::size_t) {
            ContractionElements elements(call_);
            for (std::size_t n = 0; n < columns_; ++n) elements.put(i / rows_, i % rows_, n);
        };
        for_each_task(call_.out.batch.size() * rows_, threads_, task);
    }

    const Contraction& call_;
    const ContractionMethods& methods_;
    const ContractionMethod& method_;
    const std::size_t rows_, columns_, terms_, tile_rows_, tile_columns_, row_tiles_, column_tiles_;
    const std::size_t panel_bytes_, panels_;  // of a strip
    double bound_of_norms_;
    bool is_brief_;
    std::size_t threads_;
    char* panels_at_ = nullptr;
    double* norms_ = nullptr;
    std::size_t first_ = 0;  // strip of this round
};

}  // namespace

void contract(Contraction& call) {
    if (call.out.batch.empty() || call.out.outer.empty() || call.out.inner.empty()) return;
    const FloatingPointScope scope;
    join_batches(call);
    Job(call).run();
}

}  // namespace samesum
