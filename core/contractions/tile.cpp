#include "contractions/tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "select/contraction_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

ContractionTile::ContractionTile(const ContractionPlan& plan, const ContractionStrip& strip,
                                 std::size_t first_row)
    : plan_(plan),
      call_(plan.call),
      strip_(strip),
      first_row_(first_row),
      rows_(std::min(plan.tile_rows, plan.rows - first_row)),
      padded_rows_(std::max(rounded_up(rows_, plan.method.rows), rounded_up(rows_, direct_rows))),
      pitch_(rounded_up(strip.count, plan.method.columns)),
      sums_(padded_rows_ * pitch_ * plan.method.sum_size),
      own_norms_(strip.panels == nullptr ? (pitch_ + contraction_vector) * sizeof(double) : 0) {
    if (strip.panels == nullptr) strip_.norms = reinterpret_cast<double*>(own_norms_.get());
}

template <class PerRows, class PerPair>
void ContractionTile::each_block(const PerRows& per_rows, const PerPair& multiply) {
    const ContractionMethod& method = plan_.method;
    const std::size_t panel_size = contraction_block * method.rows * method.row_size;
    const Scratch block(padded_rows_ / method.rows * panel_size);
    for (std::size_t k = 0; k < plan_.terms; k += contraction_block) {
        const std::size_t terms = std::min(contraction_block, plan_.terms - k);
        for (std::size_t r = 0; r < rows_; r += method.rows) {
            char* const to = block.get() + r / method.rows * panel_size;
            method.pack_rows(
                {call_.a.data + call_.a.batch[strip_.g], call_.a.outer.data() + first_row_ + r,
                 call_.a.inner.data() + k, std::min(method.rows, rows_ - r), terms, call_.a.format},
                to);
            per_rows(r, to, terms);
        }
        for (std::size_t c = 0; c < strip_.count; c += method.columns) {
            const char* const columns = strip_.panels + c / method.columns * plan_.panel_bytes +
                                        k * method.columns * method.column_size;
            for (std::size_t r = 0; r < rows_; r += method.rows)
                multiply(r, c, block.get() + r / method.rows * panel_size, columns, terms);
        }
    }
}

void ContractionTile::add_directly() {
    constexpr std::size_t together = direct_rows;
    const std::size_t terms = plan_.terms, padded = rounded_up(rows_, together);
    // Squares are read and written in whole vectors, also beyond the end of the last run.
    const std::size_t squares_size = pitch_ + contraction_vector;
    const Scratch room((padded * terms + squares_size) * sizeof(double));
    double *const rows = reinterpret_cast<double*>(room.get()), *const unused = rows + padded * terms;
    std::fill_n(rows + rows_ * terms, (padded - rows_) * terms + squares_size, 0);
    const ContractionOperand &a = call_.a, &b = call_.b;
    for (std::size_t r = 0; r < rows_; ++r) {
        double* const row = rows + r * terms;
        plan_.methods.gather(
            {a.data + a.batch[strip_.g], &a.outer[first_row_ + r], a.inner.data(), 1, terms, a.format},
            Format::f64, row);
        double squares[8] = {};
        for (std::size_t k = 0; k < terms; ++k) squares[k % 8] += row[k] * row[k];
        for (const double each : squares) norms_[r] += each;
    }
    std::fill_n(sums(0), padded * pitch_, 0);
    std::fill_n(strip_.norms, squares_size, 0);
    const bool by_terms = plan_.way == ContractionPlan::Way::terms;
    const std::size_t block = by_terms ? terms : direct_block, last = strip_.first + strip_.count;
    for (std::size_t k = 0; k < terms; k += block) {
        for (std::size_t n = strip_.first, end; n < last; n = end) {
            end = std::min(by_terms ? n + contraction_vector : plan_.run_ends[n], last);
            const std::size_t j = n - strip_.first, now = std::min(block, terms - k);
            for (std::size_t r = 0; r < rows_; r += together) {
                const std::size_t left = rows_ - r, count = left < 3 ? left : together;
                plan_.methods.multiply_directly(
                    {b.data + b.batch[strip_.g], b.outer.data() + n, b.inner.data() + k, end - n, now,
                     b.format},
                    {rows + r * terms + k, terms, count, sums(r) + j, pitch_,
                     (r == 0 ? strip_.norms : unused) + j, by_terms, r == 0 && k + 2 * block <= terms});
            }
        }
    }
    take_norms(strip_.norms, strip_.count);
}

void ContractionTile::make() {
    const ContractionMethod& method = plan_.method;
    if (plan_.way != ContractionPlan::Way::packed) {
        add_directly();
        return finish_floats();
    }
    std::memset(sums_.get(), 0, padded_rows_ * pitch_ * method.sum_size);
    each_block(
        [&](std::size_t r, const char* panel, std::size_t terms) {
            if (plan_.is_real) plan_.methods.row_squares(panel, terms, norms_ + r);
        },
        [&](std::size_t r, std::size_t c, const char* a, const char* b, std::size_t terms) {
            method.multiply(a, b, std::min(method.columns, strip_.count - c), terms,
                            sums_.get() + (r * pitch_ + c) * method.sum_size, pitch_);
        });
    plan_.is_real ? finish_floats() : finish_integers();
}

void ContractionTile::finish_integers() const {
    const ContractionOperand& c = call_.c;
    const std::size_t size = size_of(call_.out.format), sum_size = plan_.method.sum_size;
    for (std::size_t r = 0; r < rows_; ++r) {
        const char* sum = sums_.get() + r * pitch_ * sum_size;
        for (std::size_t n = strip_.first; n < strip_.first + strip_.count; ++n, sum += sum_size) {
            std::uint64_t word = 0, addend = 0;
            std::memcpy(&word, sum, sum_size);
            if (c.data != nullptr)
                std::memcpy(&addend, c.data + c.batch[strip_.g] + c.outer[first_row_ + r] + c.inner[n], size);
            store_bits(place(r) + call_.out.inner[n], 0, word + addend, size);
        }
    }
}

std::size_t ContractionTile::finish_row(std::size_t r, ContractionSums sums, bool is_first) {
    const ContractionOperand& c = call_.c;
    const Format format = call_.out.format;
    alignas(64) char results[room_columns * 8];
    std::uint8_t again[room_columns];
    const std::size_t row = first_row_ + r, n = strip_.count, size = size_of(format);
    if (c.data != nullptr) {
        if (gathered_row_ == SIZE_MAX || c.outer[row] != c.outer[gathered_row_])
            plan_.methods.gather(
                {c.data + c.batch[strip_.g], &c.outer[row], c.inner.data() + strip_.first, 1, n, c.format},
                Format::f64, addends_);
        gathered_row_ = row;
        sums.addends = addends_;
    }
    sums.alpha = call_.alpha, sums.beta = call_.beta;
    const std::int64_t* const places = call_.out.inner.data() + strip_.first;
    char* const to = place(r);
    std::uint8_t* const failed = failed_ + r * pitch_;
    if (is_first && (plan_.out_is_row || are_neighbours(places, n, size)))
        return plan_.methods.finish(sums, n, format, to + places[0], failed);
    std::size_t failures = plan_.methods.finish(sums, n, format, results, is_first ? failed : again);
    if (is_first) {
        put_results(results, n, size, to, places);
        return failures;
    }
    failures = 0;
    for (std::size_t j = 0; j < n; ++j) {
        if (failed[j]) std::memcpy(to + places[j], results + j * size, size);
        failed[j] &= again[j];
        failures += failed[j];
    }
    return failures;
}

void ContractionTile::finish_floats() {
    const double factor = plan_.additions() * unit_roundoff * bound_slack;
    take_norms(norms_, rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
        failures_ +=
            finish_row(r, {sums(r), nullptr, strip_.norms, factor * norms_[r], nullptr, 1, 0, false}, true);
    }
    if (failures_ == 0) return;
    if (failures_ * contraction_measured_share > rows_ + strip_.count) refine();
    decide_elements();
}

// Of all rows and columns of the tile.
struct ContractionTile::Measures {
    double rows[4][contraction_rows], columns[4][room_columns];
    double sizes[contraction_rows * contraction_columns];  // of products, as far apart as sums

    ContractionMeasures of_row(std::size_t r) { return {rows[0] + r, rows[1] + r, rows[2] + r, rows[3] + r}; }
    ContractionMeasures of_column(std::size_t c) {
        return {columns[0] + c, columns[1] + c, columns[2] + c, columns[3] + c};
    }
};

void ContractionTile::refine() {
    std::optional<Scratch> packed;
    if (strip_.panels == nullptr) {
        strip_.panels = packed.emplace(plan_.panels * plan_.panel_bytes).get();
        pack_panels(plan_, strip_, 0, plan_.panels);
    }
    const Scratch room(sizeof(Measures));
    Measures& all = *new (room.get()) Measures;
    std::fill_n(all.rows[1], 2 * contraction_rows, 0);
    std::fill_n(all.columns[1], 2 * room_columns, 0);
    std::fill_n(all.rows[3], contraction_rows, HUGE_VAL);
    std::fill_n(all.columns[3], room_columns, HUGE_VAL);
    std::copy_n(norms_, contraction_rows, all.rows[0]);
    std::copy_n(strip_.norms, strip_.count, all.columns[0]);
    each_block([&](std::size_t r, const char* panel,
                   std::size_t terms) { plan_.methods.measure_rows(panel, terms, all.of_row(r)); },
               [](auto...) {});
    for (std::size_t c = 0; c < strip_.count; c += plan_.method.columns)
        plan_.methods.measure_columns(strip_.panels + c / plan_.method.columns * plan_.panel_bytes,
                                      plan_.terms, all.of_column(c));
    alignas(64) double bounds[room_columns];
    const double factor = plan_.additions() * unit_roundoff;
    failures_ = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
        plan_.methods.bound(all.of_row(r), all.of_column(0), strip_.count, factor, all.sizes + r * pitch_,
                            bounds);
        failures_ += finish_row(r, {sums(r), nullptr, bounds, 1, nullptr, 1, 0, true}, false);
    }
    if (failures_ * contraction_twice_share > rows_ * strip_.count) multiply_twice(all);
}

// Anchors are six times a power of two not above the sum of the products' magnitudes, and more than half of
// it. (Lemma 88)
void ContractionTile::multiply_twice(const Measures& all) {
    const auto anchor = [&](std::size_t r, std::size_t j) {
        const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, all.sizes[r * pitch_ + j]);
        return 6 * __builtin_bit_cast(double, bits & ~((std::uint64_t{1} << 52) - 1));
    };
    const Scratch rests(padded_rows_ * pitch_ * sizeof(double));
    double* const lo = reinterpret_cast<double*>(rests.get());
    std::fill_n(sums(0), padded_rows_ * pitch_, 0);
    std::fill_n(lo, padded_rows_ * pitch_, 0);
    for (std::size_t r = 0; r < rows_; ++r)
        for (std::size_t j = 0; j < strip_.count; ++j) sums(r)[j] = anchor(r, j);
    each_block([](auto...) {},
               [&](std::size_t r, std::size_t c, const char* a, const char* b, std::size_t terms) {
                   plan_.methods.multiply_twice(a, b, terms, sums(r) + c, lo + r * pitch_ + c, pitch_);
               });
    const double factor =
        plan_.additions() * unit_roundoff * unit_roundoff * static_cast<double>(plan_.terms);
    alignas(64) double anchors[room_columns];
    failures_ = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
        double* const rest = lo + r * pitch_;
        for (std::size_t j = 0; j < strip_.count; ++j) {
            anchors[j] = anchor(r, j);
            sums(r)[j] -= anchors[j];
            if (is_zero(sums(r)[j], rest[j], factor * anchors[j], all.rows[3][r] * all.columns[3][j]))
                sums(r)[j] = rest[j] = anchors[j] = 0;
        }
        failures_ += finish_row(r, {sums(r), rest, anchors, factor, nullptr, 1, 0, true}, false);
    }
    record(Route::contraction_twice);
}

void ContractionTile::decide_elements() {
    if (failures_ == 0) return;
    ContractionElements elements(call_);
    for (std::size_t r = 0; r < rows_; ++r) {
        const std::uint8_t *const begin = failed_ + r * pitch_, *const end = begin + strip_.count;
        const auto next = [&](const std::uint8_t* from) {
            return static_cast<const std::uint8_t*>(
                std::memchr(from, 1, static_cast<std::size_t>(end - from)));
        };
        for (const std::uint8_t* at = next(begin); at != nullptr; at = next(at + 1))
            elements.put(strip_.g, first_row_ + r, strip_.first + static_cast<std::size_t>(at - begin));
    }
}

}  // namespace samesum
