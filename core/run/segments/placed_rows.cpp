#include "run/segments/placed_rows.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/instruction_set.hpp"
#include "run/segments/placed_room.hpp"
#include "run/segments/placed_sample.hpp"
#include "run/segments/placed_states.hpp"
#include "select/routes.hpp"
#include "select/segment_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// The words of all places, of some of the rows.
struct RowPart {
    explicit RowPart(std::size_t words) : room(words * sizeof(std::uint64_t)) {}

    PlacedRoom room;
    std::uint64_t* words = nullptr;
    RowReport report{0, true};
};

// A word is a sum of multiples of one unit, modulo 2^64: those of the fullest place have 62 bits and a sign
// at most. (Lemma 78)
class RowPlaces {
  public:
    RowPlaces(const SegmentCall& call, const SegmentOrder& order, std::int64_t most_rows)
        : call_(call),
          order_(order),
          own_(call.self == nullptr ? 0 : 1),
          bits_(std::min(51, 61 - std::ilogb(static_cast<double>(most_rows + own_) + 1))),
          columns_(static_cast<std::size_t>(call.columns)),
          pitch_((columns_ + row_words_vector - 1) / row_words_vector * row_words_vector),
          row_bytes_(call.columns * static_cast<std::int64_t>(size_of(call.in))) {}

    // `expected` is a guess of the greatest magnitude.
    Placed run(double expected) {
        set_limit(4 * expected);
        make_parts();
        add_all();
        // A guess of zero tells nothing of small elements.
        if (greatest_ >= limit_ || (expected == 0 && greatest_ > 0)) {
            if (!std::isfinite(greatest_)) return {};
            set_limit(greatest_);
            add_all();
        }
        Placed found;
        found.is_done = true;
        finish(found);
        return found;
    }

  private:
    // A power of two above `size`.
    void set_limit(double size) {
        const int exponent = size > 0 ? std::ilogb(size) + 1 : 0;
        limit_ = std::ldexp(1.0, exponent);
        unit_ = std::ldexp(1.0, exponent - bits_);
        anchor_ = unit_ * 0x1.8p52;
    }

    void make_parts() {
        const std::int64_t places = call_.labels.segments, rows = call_.labels.rows,
                           by_rows =
                               std::min<std::int64_t>(rows / (least_part_rows * places), thread_count());
        const auto count = static_cast<std::size_t>(std::max<std::int64_t>(by_rows, 1));
        parts_.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            parts_.emplace_back(static_cast<std::size_t>(places) * pitch_);
    }

    void add_all() {
        auto task = [&](std::size_t i, std::size_t) {
            RowPart& part = parts_[i];
            part.report = {0, true};
            part.words =
                part.room.make<std::uint64_t>(static_cast<std::size_t>(call_.labels.segments) * pitch_);
            if (i == 0 && own_ != 0) add_own(part);
            call_.labels.narrow ? add<std::int32_t>(part, i) : add<std::int64_t>(part, i);
        };
        for_each_task(parts_.size(), parts_.size(), task);
        greatest_ = 0;
        is_exact_ = true;
        for (const RowPart& part : parts_) {
            greatest_ = std::max(greatest_, part.report.greatest);
            is_exact_ = is_exact_ && part.report.is_exact;
        }
    }

    template <class Label>
    void add(RowPart& part, std::size_t i) const {
        constexpr std::int64_t together = 256;
        const std::int64_t end = part_begin(call_.labels.rows, i + 1, parts_.size());
        std::uint64_t places[together];
        for (std::int64_t row = part_begin(call_.labels.rows, i, parts_.size()), n; row < end; row += n) {
            n = std::min(end - row, together);
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t segment = segment_of<Label>(call_.labels, row + k);
                // Another thread may have changed it since it was counted.
                places[k] = names(call_.labels, segment) ? static_cast<std::uint64_t>(segment) : 0;
            }
            add_rows(part, call_.x + row * row_bytes_, static_cast<std::size_t>(n), places);
        }
    }

    void add_own(RowPart& part) const {
        for (std::int64_t s = 0; s < call_.labels.segments; ++s) {
            const auto place = static_cast<std::uint64_t>(s);
            if (order_.count(s) > 0) add_rows(part, call_.self + s * row_bytes_, 1, &place);
        }
    }

    void add_rows(RowPart& part, const char* x, std::size_t rows, const std::uint64_t* places) const {
        const RowReport report =
            current_instruction_set().exact_blocks->row_words[static_cast<std::size_t>(call_.in)](
                {x, rows, columns_, places, anchor_, part.words, pitch_});
        part.report.greatest = std::max(part.report.greatest, report.greatest);
        part.report.is_exact = part.report.is_exact && report.is_exact;
    }

    void finish(Placed& found) const {
        const std::int64_t places = call_.labels.segments,
                           some = std::max<std::int64_t>(placed_task_segments / call_.columns, 1);
        const auto tasks = static_cast<std::size_t>((places + some - 1) / some);
        std::vector<std::vector<std::int64_t>> uncertain(tasks);
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * some;
            for (std::int64_t s = first; s < std::min(first + some, places); ++s)
                if (order_.count(s) > 0 && !finish_place(s)) uncertain[t].push_back(s);
        };
        for_each_task(tasks, static_cast<std::size_t>(thread_count()), task);
        for (const auto& each : uncertain)
            found.uncertain.insert(found.uncertain.end(), each.begin(), each.end());
    }

    // Writes the results of a place; returns whether all of them are certain.
    bool finish_place(std::int64_t s) const {
        const PlacedRange range{limit_, 0, call_.row.finalize, call_.format};
        const auto n = static_cast<std::uint64_t>(order_.count(s) + own_), at = static_cast<std::uint64_t>(s),
                   zero = __builtin_bit_cast(std::uint64_t, anchor_);
        const auto rows = static_cast<double>(n);
        bool all = true;
        for (std::size_t j = 0; j < columns_; ++j) {
            std::uint64_t word = 0 - n * zero, bits = 0;
            for (const RowPart& part : parts_) word += part.words[at * pitch_ + j];
            const auto sum = static_cast<std::int64_t>(word);
            const auto hi = static_cast<double>(sum),
                       lo = static_cast<double>(sum - static_cast<std::int64_t>(hi));
            const double bound = is_exact_ ? 0 : rows * unit_ * 0.5;
            all = round_total(hi * unit_, lo * unit_, bound, rows, range, bits) && all;
            store_bits(call_.out, at * columns_ + j, bits, size_of(call_.format));
        }
        return all;
    }

    const SegmentCall& call_;
    const SegmentOrder& order_;
    const std::int64_t own_;
    const int bits_;  // of a multiple
    const std::size_t columns_, pitch_;
    const std::int64_t row_bytes_;
    std::vector<RowPart> parts_;
    double limit_ = 0, unit_ = 0, anchor_ = 0, greatest_ = 0;
    bool is_exact_ = true;
};

std::int64_t rows_of_fullest(const SegmentOrder& order, std::int64_t segments) {
    std::int64_t most = 0;
    for (std::int64_t s = 0; s < segments; ++s) most = std::max(most, order.count(s));
    return most;
}

bool is_sum_of_rows(const SegmentCall& call) {
    return call.outer == 1 && call.row.combine == Combine::sum && call.row.map == Map::itself &&
           !is_byte_float(call.in) && is_float(call.in) && call.in != Format::f64 &&
           is_sum_or_mean({0, 0, call.row.finalize, call.format});
}

}  // namespace

Placed add_rows_in_places(const SegmentCall& call, const SegmentOrder& order) {
    const std::int64_t places = call.labels.segments, rows = call.labels.rows;
    if (!is_sum_of_rows(call) || order.is_sorted() || call.columns < least_placed_columns) return {};
    const std::int64_t most = most_row_words_bytes / static_cast<std::int64_t>(sizeof(std::uint64_t));
    if (places > most / call.columns || rows / places < least_placed_rows) return {};
    const std::int64_t fullest = rows_of_fullest(order, places);
    const double greatest = greatest_of_some(call.x, rows * call.columns, call.in);
    if (fullest > most_placed_rows || !std::isfinite(greatest) ||
        !is_level(call.x, rows * call.columns, call.in, greatest))
        return {};
    record(Route::segment_row_words);
    return RowPlaces(call, order, fullest).run(greatest);
}

}  // namespace samesum
