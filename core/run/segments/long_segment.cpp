#include "run/segments/long_segment.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "run/room.hpp"
#include "run/states/accumulation.hpp"
#include "select/routes.hpp"
#include "select/segment_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

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
        const Room room(static_cast<std::size_t>(count * row));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * some;
            rows_.copy(segment_, part.outer, part.column, row, first, std::min(first + some, count),
                       room.get() + first * row);
        };
        for_each_task(static_cast<std::size_t>((count + some - 1) / some),
                      static_cast<std::size_t>(thread_count()), task);
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
        const Room made(static_cast<std::size_t>(part.columns * result));
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
        for_each_task(totals.size(), totals.size(), task);
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
        const Room room(static_cast<std::size_t>(some * row));
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

}  // namespace

void reduce_long_segment(const SegmentCall& call, const SegmentRows& rows, std::int64_t segment,
                         const SegmentSlice& part, char* out) {
    LongSegment(call, rows, segment).reduce(part, out);
}

}  // namespace samesum
