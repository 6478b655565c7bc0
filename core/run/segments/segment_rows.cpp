#include "run/segments/segment_rows.hpp"

#include <algorithm>
#include <cstring>

#include "select/segment_thresholds.hpp"

namespace samesum {

namespace {

constexpr std::int64_t cache_line = 64;

void ask_for(const char* from, std::int64_t bytes) {
    const std::int64_t lines =
        std::min<std::int64_t>((bytes + cache_line - 1) / cache_line, segment_lines_ahead);
    for (std::int64_t i = 0; i < lines; ++i) __builtin_prefetch(from + i * cache_line);
}

template <std::size_t bytes>
void copy_small(const char* from, std::int64_t pitch, const std::int64_t* numbers, std::int64_t n, char* to) {
    for (std::int64_t i = 0; i < n; ++i, to += bytes) std::memcpy(to, from + numbers[i] * pitch, bytes);
}

void copy_rows(const char* from, std::int64_t pitch, const std::int64_t* numbers, std::int64_t n,
               std::int64_t bytes, char* to) {
    switch (bytes) {
        case 1:
            return copy_small<1>(from, pitch, numbers, n, to);
        case 2:
            return copy_small<2>(from, pitch, numbers, n, to);
        case 4:
            return copy_small<4>(from, pitch, numbers, n, to);
        case 8:
            return copy_small<8>(from, pitch, numbers, n, to);
        default:
            break;
    }
    for (std::int64_t i = 0; i < n; ++i, to += bytes) {
        if (i + segment_rows_ahead < n) ask_for(from + numbers[i + segment_rows_ahead] * pitch, bytes);
        std::memcpy(to, from + numbers[i] * pitch, static_cast<std::size_t>(bytes));
    }
}

}  // namespace

SegmentRows::SegmentRows(const RowsOfLabels& rows, SegmentOrder& order) : rows_(rows), order_(order) {
    if (order.is_sorted()) return;
    if (rows.outer == 1 && pitch() <= small_segment_row) {
        sorted_.emplace(static_cast<std::size_t>(order.rows() * pitch()));
        order.take_rows(rows.data, static_cast<std::size_t>(pitch()), sorted_->get());
        rows_.data = sorted_->get();
    } else {
        numbers_ = order.take_numbers();
    }
}

void SegmentRows::copy(std::int64_t segment, std::int64_t outer, std::int64_t column, std::int64_t bytes,
                       std::int64_t begin, std::int64_t end, char* to) const {
    std::int64_t first = order_.first(segment) + begin, n = end - begin;
    if (rows_.self != nullptr) {
        if (begin == 0) {
            std::memcpy(to, own(segment, outer, column), static_cast<std::size_t>(bytes));
            to += bytes;
            --n;
        } else {
            --first;
        }
    }
    if (n == 0) return;
    if (!numbers_.empty())
        return copy_rows(row(outer, 0, column), pitch(), numbers_.data() + first, n, bytes, to);
    const char* from = row(outer, first, column);
    if (bytes == pitch()) {
        std::memcpy(to, from, static_cast<std::size_t>(n * bytes));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i, from += pitch(), to += bytes)
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace samesum
