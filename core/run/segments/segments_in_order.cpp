#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "run/segments/segments.hpp"
#include "run/states/accumulation.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Some columns of some of the outer parts.
struct SegmentSlice {
    std::int64_t outer, outers, column, columns;
};

std::int64_t bytes_of_element(Format format) { return static_cast<std::int64_t>(size_of(format)); }

void reduce_segment_view(const SegmentCall& call, const View& view, int along, char* out) {
    bool reduced[3] = {};
    reduced[along] = true;
    reduce(view, reduced, call.row, call.format, out);
}

// One segment of so many rows that threads share them.
class LongSegment {
  public:
    LongSegment(const SegmentCall& call, const SegmentRows& rows, std::int64_t segment)
        : call_(call), rows_(rows), segment_(segment) {}

    void reduce(const SegmentSlice& part, char* out) const {
        const std::int64_t count = rows_.count(segment_), row = part.columns * bytes_of_element(call_.in);
        const std::int64_t shape[] = {count, part.columns};
        if (call_.self == nullptr && rows_.lie_together(segment_)) {
            const std::int64_t strides[] = {rows_.pitch(), bytes_of_element(call_.in)};
            return reduce_segment_view(
                call_, {rows_.at(segment_, part.outer, part.column), 2, shape, strides, call_.in, false}, 0,
                out);
        }
        if (suits_pieces()) return reduce_in_pieces(part, out);
        const std::int64_t strides[] = {row, bytes_of_element(call_.in)},
                           some = std::max<std::int64_t>(long_segment_bytes / row, 1);
        const Scratch room(static_cast<std::size_t>(count * row));
        for_each_batch(count, some, thread_count(), [&](std::int64_t first, std::int64_t n) {
            rows_.copy(segment_, part.outer, part.column, row, first, first + n, room.get() + first * row);
        });
        reduce_segment_view(call_, {room.get(), 2, shape, strides, call_.in, false}, 0, out);
    }

  private:
    // Whether its states take pieces as they come.
    bool suits_pieces() const {
        return call_.row.combine != Combine::spread && call_.row.finalize != Finalize::logarithm;
    }

    // Takes one tier after the other until all results are certified: of all columns, or of those that are
    // left one by one, where they are few.
    void reduce_in_pieces(const SegmentSlice& part, char* out) const {
        record(Route::segment_pieces);
        std::vector<std::int64_t> rest = reduce_by_tier(part, 0, out);
        const std::int64_t result = bytes_of_element(call_.format);
        if (std::ssize(rest) * row_bytes_for_a_column <= part.columns * bytes_of_element(call_.in)) {
            for (const std::int64_t j : rest) {
                const SegmentSlice column{part.outer, part.outers, part.column + j, 1};
                for (std::size_t tier = 1; !reduce_by_tier(column, tier, out + j * result).empty();) ++tier;
            }
            return;
        }
        const Scratch made(static_cast<std::size_t>(part.columns * result));
        for (std::size_t tier = 1; !rest.empty(); ++tier) {
            const std::vector<std::int64_t> left = reduce_by_tier(part, tier, made.get());
            for (const std::int64_t j : rest)
                std::memcpy(out + j * result, made.get() + j * result, static_cast<std::size_t>(result));
            std::erase_if(rest,
                          [&](std::int64_t j) { return !std::binary_search(left.begin(), left.end(), j); });
        }
    }

    std::vector<std::int64_t> reduce_by_tier(const SegmentSlice& part, std::size_t tier, char* made) const {
        const std::int64_t count = rows_.count(segment_),
                           pieces = std::clamp<std::int64_t>(
                               count * part.columns * bytes_of_element(call_.in) / long_segment_bytes, 1,
                               thread_count());
        std::vector<std::unique_ptr<Accumulation>> totals(static_cast<std::size_t>(pieces));
        auto task = [&](std::size_t t, std::size_t) {
            totals[t] =
                std::make_unique<Accumulation>(call_.row, call_.in, call_.format, part.columns, count, tier);
            add(part, part_begin(count, t, totals.size()), part_begin(count, t + 1, totals.size()),
                *totals[t]);
        };
        for_each_task(totals.size(), thread_count(), task);
        for (std::size_t i = 1; i < totals.size(); ++i) totals[0]->join(*totals[i]);
        return totals[0]->finish(made);
    }

    // Rows [begin, end) of a set: where they are, or in blocks.
    void add(const SegmentSlice& part, std::int64_t begin, std::int64_t end, Accumulation& total) const {
        if (!rows_.lie_together(segment_)) return add_copied(part, begin, end, total);
        constexpr bool reduced[] = {true, false};
        const std::int64_t strides[] = {rows_.pitch(), bytes_of_element(call_.in)},
                           apart = call_.self == nullptr ? 0 : 1;
        const auto add_rows = [&](const char* data, std::int64_t rows) {
            const std::int64_t shape[] = {rows, part.columns};
            if (rows > 0) total.add({data, 2, shape, strides, call_.in, false}, reduced);
        };
        if (begin < apart) add_rows(rows_.own(segment_, part.outer, part.column), apart);
        begin = std::max(begin - apart, std::int64_t{0});
        add_rows(rows_.at(segment_, part.outer, part.column) + begin * rows_.pitch(), end - apart - begin);
    }

    void add_copied(const SegmentSlice& part, std::int64_t begin, std::int64_t end,
                    Accumulation& total) const {
        const std::int64_t row = part.columns * bytes_of_element(call_.in),
                           some = std::max<std::int64_t>(segment_block_bytes / row, 1);
        const Scratch room(static_cast<std::size_t>(some * row));
        constexpr bool reduced[] = {true, false};
        for (std::int64_t next; begin < end; begin = next) {
            next = std::min(begin + some, end);
            rows_.copy(segment_, part.outer, part.column, row, begin, next, room.get());
            const std::int64_t shape[] = {next - begin, part.columns},
                               strides[] = {row, bytes_of_element(call_.in)};
            total.add({room.get(), 2, shape, strides, call_.in, false}, reduced);
        }
    }

    const SegmentCall& call_;
    const SegmentRows& rows_;
    const std::int64_t segment_;
};

// Segments [first, last) in the order of their counts.
struct Chunk {
    std::int64_t first, last;
};

class SegmentReduction {
  public:
    SegmentReduction(const SegmentCall& call, SegmentOrder& order)
        : call_(call),
          order_(order),
          rows_(
              {call.x, bytes_of_element(call.in), call.outer, call.columns, call.self, call.labels.segments},
              order),
          segments_(order.segments_by_count()),
          columns_(
              std::clamp<std::int64_t>(segment_slice_bytes / bytes_of_element(call.in), 1, call.columns)),
          outers_(std::clamp<std::int64_t>(segment_block_bytes / bytes_of(order.rows(), columns_), 1,
                                           call.outer)) {
        make_chunks();
    }

    void run() const {
        const std::int64_t slices = (call_.columns + columns_ - 1) / columns_,
                           outers = (call_.outer + outers_ - 1) / outers_,
                           chunks = static_cast<std::int64_t>(chunks_.size());
        const std::int64_t bytes = bytes_of(order_.rows(), call_.columns) * call_.outer;
        auto task = [&](std::size_t t, std::size_t) {
            const auto i = static_cast<std::int64_t>(t);
            const ThreadLimit one(1);
            reduce_chunk(chunks_[static_cast<std::size_t>(i % chunks)],
                         slice(i / chunks / slices, i / chunks % slices));
        };
        if (chunks > 0)
            for_each_task(static_cast<std::size_t>(chunks * slices * outers),
                          threads_for(bytes, threaded_bytes), task);
        for (std::int64_t outer = 0; outer < call_.outer; ++outer) {
            for (std::int64_t i = 0; i < slices; ++i) {
                SegmentSlice part = slice(0, i);
                part.outer = outer;
                part.outers = 1;
                for (const std::int64_t segment : long_)
                    LongSegment(call_, rows_, segment).reduce(part, result(part, outer, segment));
            }
        }
    }

  private:
    std::int64_t bytes_of(std::int64_t rows, std::int64_t columns) const {
        return rows * columns * bytes_of_element(call_.in);
    }

    SegmentSlice slice(std::int64_t outer, std::int64_t i) const {
        const std::int64_t first = outer * outers_, column = i * columns_;
        return {first, std::min(outers_, call_.outer - first), column,
                std::min(columns_, call_.columns - column)};
    }

    void make_chunks() {
        std::int64_t filled = 0;
        for (std::size_t i = 0; i < segments_.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const std::int64_t bytes = bytes_of(rows_.count(segments_[i]), columns_);
            if (bytes >= long_segment_bytes) {
                long_.assign(segments_.begin() + at, segments_.end());
                break;
            }
            if (chunks_.empty() || filled + bytes > segment_block_bytes) {
                chunks_.push_back({at, at});
                filled = 0;
            }
            chunks_.back().last = at + 1;
            filled += bytes;
        }
    }

    char* result(const SegmentSlice& part, std::int64_t outer, std::int64_t segment) const {
        const std::int64_t at = (outer * call_.labels.segments + segment) * call_.columns + part.column;
        return call_.out + at * bytes_of_element(call_.format);
    }

    void reduce_chunk(const Chunk& chunk, const SegmentSlice& part) const {
        for (std::int64_t first = chunk.first, last; first < chunk.last; first = last) {
            const std::int64_t* const some = segments_.data() + first;
            const std::int64_t count = rows_.count(*some);
            for (last = first; last < chunk.last; ++last)
                if (rows_.count(segments_[static_cast<std::size_t>(last)]) != count) break;
            reduce_alike(some, last - first, part);
        }
    }

    // Segments with the same number of rows.
    void reduce_alike(const std::int64_t* segments, std::int64_t n, const SegmentSlice& part) const {
        const std::int64_t count = rows_.count(*segments), row = part.columns * bytes_of_element(call_.in),
                           results = n * part.columns;
        if (n * part.outers == 1 && call_.self == nullptr && rows_.lie_together(*segments)) {
            const std::int64_t shape[] = {count, part.columns},
                               strides[] = {rows_.pitch(), bytes_of_element(call_.in)};
            const char* const data = rows_.at(*segments, part.outer, part.column);
            return reduce_segment_view(call_, {data, 2, shape, strides, call_.in, false}, 0,
                                       result(part, part.outer, *segments));
        }
        const Scratch room(static_cast<std::size_t>(part.outers * n * count * row));
        char* to = room.get();
        for (std::int64_t outer = part.outer; outer < part.outer + part.outers; ++outer) {
            for (std::int64_t i = 0; i < n; ++i, to += count * row)
                rows_.copy(segments[i], outer, part.column, row, 0, count, to);
        }
        const std::int64_t shape[] = {part.outers * n, count, part.columns},
                           strides[] = {count * row, row, bytes_of_element(call_.in)};
        const View view{room.get(), 3, shape, strides, call_.in, false};
        if (n * part.outers == 1)
            return reduce_segment_view(call_, view, 1, result(part, part.outer, *segments));
        const Scratch made(static_cast<std::size_t>(part.outers * results * bytes_of_element(call_.format)));
        reduce_segment_view(call_, view, 1, made.get());
        put(made.get(), segments, n, part);
    }

    void put(const char* made, const std::int64_t* segments, std::int64_t n, const SegmentSlice& part) const {
        const std::int64_t bytes = part.columns * bytes_of_element(call_.format);
        for (std::int64_t outer = part.outer; outer < part.outer + part.outers; ++outer) {
            for (std::int64_t i = 0; i < n; ++i, made += bytes)
                std::memcpy(result(part, outer, segments[i]), made, static_cast<std::size_t>(bytes));
        }
    }

    const SegmentCall& call_;
    const SegmentOrder& order_;
    const SegmentRows rows_;
    const std::vector<std::int64_t> segments_;
    const std::int64_t columns_, outers_;  // of a slice, at most
    std::vector<Chunk> chunks_;
    std::vector<std::int64_t> long_;
};

}  // namespace

void reduce_in_order(const SegmentCall& call, SegmentOrder& order) {
    record(Route::segment_in_order);
    if (call.outer * call.columns * call.labels.rows > 0) SegmentReduction(call, order).run();
}

}  // namespace samesum
