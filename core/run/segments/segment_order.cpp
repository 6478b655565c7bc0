#include <algorithm>
#include <cstring>
#include <type_traits>

#include "run/segments/segments.hpp"
#include "select/reduction_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Counts of few segments.
constexpr std::size_t copies = 4;

// Every part has a count of every segment.
std::size_t parts_for(const Labels& labels) {
    const std::int64_t most = std::min<std::int64_t>(labels.rows / segment_part_rows, thread_count());
    return labels.segments > labels.rows ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(most, 1));
}

}  // namespace

SegmentOrder::SegmentOrder(const Labels& labels)
    : labels_(labels),
      parts_(parts_for(labels)),
      starts_(parts_ * static_cast<std::size_t>(labels.segments)),
      first_(static_cast<std::size_t>(labels.segments) + 1) {
    std::vector<std::int64_t> first_bad_labels(parts_);
    std::vector<std::uint8_t> sorted(parts_);
    auto task = [&](std::size_t part, std::size_t) {
        bool is_sorted = true;
        first_bad_labels[part] = labels_.narrow ? count_part<std::int32_t>(part, is_sorted)
                                                : count_part<std::int64_t>(part, is_sorted);
        sorted[part] = is_sorted;
    };
    for_each_task(parts_, thread_count(), task);
    for (std::size_t part = 0; part < parts_; ++part) {
        if (first_bad_label_ < 0) first_bad_label_ = first_bad_labels[part];
        is_sorted_ = is_sorted_ && sorted[part] != 0;
    }
    std::int64_t at = 0;
    const auto segments = static_cast<std::size_t>(labels.segments);
    for (std::size_t s = 0; s < segments; ++s) {
        first_[s] = at;
        for (std::size_t part = 0; part < parts_; ++part) {
            const std::int64_t n = starts_[part * segments + s];
            starts_[part * segments + s] = at;
            at += n;
        }
    }
    first_[segments] = at;
}

template <class Label>
std::int64_t SegmentOrder::count_part(std::size_t part, bool& is_sorted) {
    const auto segments = static_cast<std::uint64_t>(labels_.segments);
    std::int64_t* const counts = starts_.data() + part * segments;
    const std::size_t several = labels_.segments <= few_segments ? copies : 1;
    std::vector<std::int64_t> more((several - 1) * segments);
    std::int64_t* to[copies] = {counts, counts, counts, counts};
    for (std::size_t i = 1; i < several; ++i) to[i] = more.data() + (i - 1) * segments;
    const std::int64_t begin = begin_of(part), end = begin_of(part + 1);
    std::int64_t before = begin > 0 ? segment_of<Label>(labels_, begin - 1) : 0;
    bool ascends = true;
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t segment = segment_of<Label>(labels_, row);
        if (!names(labels_, segment)) return row;
        ascends &= before <= segment;
        before = segment;
        ++to[static_cast<std::size_t>(row) % copies][segment];
    }
    is_sorted = ascends;
    for (std::size_t i = 0; i < more.size(); ++i) counts[i % segments] += more[i];
    return -1;
}

std::vector<std::int64_t> SegmentOrder::segments_by_count() const {
    std::int64_t most = 0, used = 0;
    for (std::int64_t s = 0; s < labels_.segments; ++s) {
        most = std::max(most, count(s));
        used += count(s) > 0;
    }
    most = std::min<std::int64_t>(most, many_segment_rows);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(most) + 2),
        sorted(static_cast<std::size_t>(used));
    const auto key = [&](std::int64_t s) { return static_cast<std::size_t>(std::min(count(s), most)); };
    for (std::int64_t s = 0; s < labels_.segments; ++s) ++starts[key(s) + 1];
    starts[1] = 0;  // those without rows
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (std::int64_t s = 0; s < labels_.segments; ++s)
        if (count(s) > 0) sorted[static_cast<std::size_t>(starts[key(s)]++)] = s;
    const auto fewer = [&](std::int64_t a, std::int64_t b) { return count(a) < count(b); };
    const auto many = std::partition_point(sorted.begin(), sorted.end(),
                                           [&](std::int64_t s) { return count(s) < many_segment_rows; });
    std::stable_sort(many, sorted.end(), fewer);
    return sorted;
}

// Labels that another thread has changed since they were counted may leave rows out, but name no place
// outside.
std::vector<std::int64_t> SegmentOrder::take_numbers() {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(labels_.rows));
    auto task = [&](std::size_t part, std::size_t) {
        std::int64_t* const next = starts_.data() + part * static_cast<std::size_t>(labels_.segments);
        const auto place = [&, to = numbers.data()]<class Label>(Label) {
            for (std::int64_t row = begin_of(part); row < begin_of(part + 1); ++row) {
                const std::int64_t segment = segment_of<Label>(labels_, row);
                if (!names(labels_, segment)) continue;
                const std::int64_t at = next[segment]++;
                if (at < labels_.rows) to[at] = row;
            }
        };
        labels_.narrow ? place(std::int32_t{}) : place(std::int64_t{});
    };
    for_each_task(parts_, thread_count(), task);
    return numbers;
}

namespace {

// take.operator()<bytes>() of rows of one element; false of others.
template <class Take>
bool take_as_elements(std::size_t bytes, const Take& take) {
    switch (bytes) {
        case 1:
            return take.template operator()<1>(), true;
        case 2:
            return take.template operator()<2>(), true;
        case 4:
            return take.template operator()<4>(), true;
        case 8:
            return take.template operator()<8>(), true;
        default:
            return false;
    }
}

constexpr std::int64_t cache_line = 64;

void ask_for(const char* from, std::int64_t bytes) {
    const std::int64_t lines =
        std::min<std::int64_t>((bytes + cache_line - 1) / cache_line, segment_lines_ahead);
    for (std::int64_t i = 0; i < lines; ++i) __builtin_prefetch(from + i * cache_line);
}

void copy_rows(const char* from, std::int64_t pitch, const std::int64_t* numbers, std::int64_t n,
               std::int64_t bytes, char* to) {
    const auto copy_elements = [&]<std::size_t size>() {
        for (std::int64_t i = 0; i < n; ++i, to += size) std::memcpy(to, from + numbers[i] * pitch, size);
    };
    if (take_as_elements(static_cast<std::size_t>(bytes), copy_elements)) return;
    for (std::int64_t i = 0; i < n; ++i, to += bytes) {
        if (i + segment_rows_ahead < n) ask_for(from + numbers[i + segment_rows_ahead] * pitch, bytes);
        std::memcpy(to, from + numbers[i] * pitch, static_cast<std::size_t>(bytes));
    }
}

}  // namespace

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
