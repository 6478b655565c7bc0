#include "run/segments/segments_in_order.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "run/states/accumulation.hpp"
#include "run/room.hpp"
#include "run/segments/segment_rows.hpp"
#include "select/routes.hpp"
#include "select/segment_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Some columns of some of the outer parts.
struct Slice {
    std::int64_t outer, outers, column, columns;
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
          rows_({call.x, size(call.in), call.outer, call.columns, call.self, call.labels.segments}, order),
          segments_(order.segments_by_count()),
          columns_(std::clamp<std::int64_t>(segment_slice_bytes / size(call.in), 1, call.columns)),
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
                          static_cast<std::size_t>(bytes >= threaded_bytes ? thread_count() : 1), task);
        for (std::int64_t outer = 0; outer < call_.outer; ++outer) {
            for (std::int64_t i = 0; i < slices; ++i) {
                Slice part = slice(0, i);
                part.outer = outer;
                part.outers = 1;
                for (const std::int64_t segment : long_) reduce_long(segment, part);
            }
        }
    }

  private:
    static std::int64_t size(Format format) { return static_cast<std::int64_t>(size_of(format)); }
    std::int64_t bytes_of(std::int64_t rows, std::int64_t columns) const {
        return rows * columns * size(call_.in);
    }

    Slice slice(std::int64_t outer, std::int64_t i) const {
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

    char* result(const Slice& part, std::int64_t outer, std::int64_t segment) const {
        const std::int64_t at = (outer * call_.labels.segments + segment) * call_.columns + part.column;
        return call_.out + at * size(call_.format);
    }

    void reduce_chunk(const Chunk& chunk, const Slice& part) const {
        for (std::int64_t first = chunk.first, last; first < chunk.last; first = last) {
            const std::int64_t* const some = segments_.data() + first;
            const std::int64_t count = rows_.count(*some);
            for (last = first; last < chunk.last; ++last)
                if (rows_.count(segments_[static_cast<std::size_t>(last)]) != count) break;
            reduce_alike(some, last - first, part);
        }
    }

    // Segments with the same number of rows.
    void reduce_alike(const std::int64_t* segments, std::int64_t n, const Slice& part) const {
        const std::int64_t count = rows_.count(*segments), row = part.columns * size(call_.in),
                           results = n * part.columns;
        if (n * part.outers == 1 && rows_.lie_together(*segments)) {
            const std::int64_t shape[] = {count, part.columns}, strides[] = {rows_.pitch(), size(call_.in)};
            const char* const data = rows_.at(*segments, part.outer, part.column);
            return reduce_view({data, 2, shape, strides, call_.in, false}, 0,
                               result(part, part.outer, *segments));
        }
        const Room room(static_cast<std::size_t>(part.outers * n * count * row));
        char* to = room.get();
        for (std::int64_t outer = part.outer; outer < part.outer + part.outers; ++outer) {
            for (std::int64_t i = 0; i < n; ++i, to += count * row)
                rows_.copy(segments[i], outer, part.column, row, 0, count, to);
        }
        const std::int64_t shape[] = {part.outers * n, count, part.columns},
                           strides[] = {count * row, row, size(call_.in)};
        const View view{room.get(), 3, shape, strides, call_.in, false};
        if (n * part.outers == 1) return reduce_view(view, 1, result(part, part.outer, *segments));
        const Room made(static_cast<std::size_t>(part.outers * results * size(call_.format)));
        reduce_view(view, 1, made.get());
        put(made.get(), segments, n, part);
    }

    void put(const char* made, const std::int64_t* segments, std::int64_t n, const Slice& part) const {
        const std::int64_t bytes = part.columns * size(call_.format);
        for (std::int64_t outer = part.outer; outer < part.outer + part.outers; ++outer) {
            for (std::int64_t i = 0; i < n; ++i, made += bytes)
                std::memcpy(result(part, outer, segments[i]), made, static_cast<std::size_t>(bytes));
        }
    }

    void reduce_view(const View& view, int along, char* out) const {
        bool reduced[3] = {};
        reduced[along] = true;
        reduce(view, reduced, call_.row, call_.format, out);
    }

    // Whether its states take pieces as they come.
    bool suits_pieces() const {
        return call_.row.combine != Combine::spread && call_.row.finalize != Finalize::logarithm;
    }

    void reduce_long(std::int64_t segment, const Slice& part) const {
        const std::int64_t count = rows_.count(segment), row = part.columns * size(call_.in);
        char* const out = result(part, part.outer, segment);
        const std::int64_t shape[] = {count, part.columns};
        if (rows_.lie_together(segment)) {
            const std::int64_t strides[] = {rows_.pitch(), size(call_.in)};
            return reduce_view(
                {rows_.at(segment, part.outer, part.column), 2, shape, strides, call_.in, false}, 0, out);
        }
        if (suits_pieces()) return reduce_in_pieces(segment, part, out);
        const std::int64_t strides[] = {row, size(call_.in)},
                           some = std::max<std::int64_t>(long_segment_bytes / row, 1);
        const Room room(static_cast<std::size_t>(count * row));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * some;
            rows_.copy(segment, part.outer, part.column, row, first, std::min(first + some, count),
                       room.get() + first * row);
        };
        for_each_task(static_cast<std::size_t>((count + some - 1) / some),
                      static_cast<std::size_t>(thread_count()), task);
        reduce_view({room.get(), 2, shape, strides, call_.in, false}, 0, out);
    }

    // Takes one tier after the other until all results are certified.
    void reduce_in_pieces(std::int64_t segment, const Slice& part, char* out) const {
        record(Route::segment_pieces);
        const Room made(static_cast<std::size_t>(part.columns * size(call_.format)));
        std::vector<std::int64_t> rest;
        for (std::size_t tier = 0; tier == 0 || !rest.empty(); ++tier) {
            std::vector<std::int64_t> left = reduce_by_tier(segment, part, tier, made.get());
            if (tier == 0)
                std::memcpy(out, made.get(), static_cast<std::size_t>(part.columns * size(call_.format)));
            for (const std::int64_t j : rest)
                std::memcpy(out + j * size(call_.format), made.get() + j * size(call_.format),
                            size_of(call_.format));
            std::erase_if(left, [&](std::int64_t j) {
                return tier > 0 && !std::binary_search(rest.begin(), rest.end(), j);
            });
            rest = std::move(left);
        }
    }

    std::vector<std::int64_t> reduce_by_tier(std::int64_t segment, const Slice& part, std::size_t tier,
                                             char* made) const {
        const std::int64_t count = rows_.count(segment),
                           pieces = std::clamp<std::int64_t>(
                               bytes_of(count, part.columns) / long_segment_bytes, 1, thread_count());
        std::vector<std::unique_ptr<Accumulation>> totals(static_cast<std::size_t>(pieces));
        auto task = [&](std::size_t t, std::size_t) {
            totals[t] =
                std::make_unique<Accumulation>(call_.row, call_.in, call_.format, part.columns, count, tier);
            const auto i = static_cast<std::int64_t>(t);
            add(segment, part, count * i / pieces, count * (i + 1) / pieces, *totals[t]);
        };
        for_each_task(totals.size(), totals.size(), task);
        for (std::size_t i = 1; i < totals.size(); ++i) totals[0]->join(*totals[i]);
        return totals[0]->finish(made);
    }

    // Rows [begin, end) of a set, in blocks.
    void add(std::int64_t segment, const Slice& part, std::int64_t begin, std::int64_t end,
             Accumulation& total) const {
        const std::int64_t row = part.columns * size(call_.in),
                           some = std::max<std::int64_t>(segment_block_bytes / row, 1);
        const Room room(static_cast<std::size_t>(some * row));
        constexpr bool reduced[] = {true, false};
        for (std::int64_t next; begin < end; begin = next) {
            next = std::min(begin + some, end);
            rows_.copy(segment, part.outer, part.column, row, begin, next, room.get());
            const std::int64_t shape[] = {next - begin, part.columns}, strides[] = {row, size(call_.in)};
            total.add({room.get(), 2, shape, strides, call_.in, false}, reduced);
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

SegmentReport reduce_in_order(const SegmentCall& call) {
    record(Route::segment_in_order);
    SegmentOrder order(call.labels);
    if (order.stranger() >= 0) return {order.stranger(), -1};
    std::int64_t empty = 0;
    while (empty < call.labels.segments && order.count(empty) > 0) ++empty;
    if (call.outer * call.columns * call.labels.rows > 0) SegmentReduction(call, order).run();
    return {-1, empty < call.labels.segments ? empty : -1};
}

}  // namespace samesum
