#include "run/segments/segments.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "select/routes.hpp"
#include "select/segment_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Whether elements are better added where they go than put in order first.
bool suits_places(const Labels& labels) {
    if (labels.segments == 0 || labels.rows / labels.segments < long_segment_in_order) return true;
    for (std::int64_t row = 1; row < std::min<std::int64_t>(labels.rows, labels_looked_at); ++row)
        if (segment_of(labels, row) < segment_of(labels, row - 1)) return true;
    return false;
}

// The rows of some segments, numbered anew.
struct Some {
    std::vector<std::int32_t> labels;
    std::vector<char> elements;
};

Some rows_of(const SegmentCall& call, const std::vector<bool>& is_one,
             const std::vector<std::int32_t>& number) {
    const Labels labels = call.labels;
    const std::int64_t rows = labels.rows,
                       parts = std::clamp<std::int64_t>(rows / segment_part_rows, 1, thread_count());
    const std::size_t size = size_of(call.in) * static_cast<std::size_t>(call.columns);
    std::vector<Some> found(static_cast<std::size_t>(parts));
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t end = part_begin(rows, t + 1, found.size());
        for (std::int64_t row = part_begin(rows, t, found.size()); row < end; ++row) {
            const std::int64_t segment = segment_of(labels, row);
            // Another thread may have changed it.
            if (!names(labels, segment) || !is_one[static_cast<std::size_t>(segment)]) continue;
            const std::int32_t to = number[static_cast<std::size_t>(segment)];
            found[t].labels.push_back(to);
            const char* const from = call.x + row * static_cast<std::int64_t>(size);
            found[t].elements.insert(found[t].elements.end(), from, from + size);
        }
    };
    for_each_task(found.size(), thread_count(), task);
    for (std::size_t i = 1; i < found.size(); ++i) {
        found[0].labels.insert(found[0].labels.end(), found[i].labels.begin(), found[i].labels.end());
        found[0].elements.insert(found[0].elements.end(), found[i].elements.begin(), found[i].elements.end());
    }
    return std::move(found[0]);
}

// Of one outer part.
void reduce_some_in_order(const SegmentCall& call, const std::vector<std::int64_t>& segments) {
    const auto columns = static_cast<std::size_t>(call.columns);
    const std::size_t size = size_of(call.in) * columns, result = size_of(call.format) * columns;
    const auto all = static_cast<std::size_t>(call.labels.segments);
    std::vector<bool> is_one(all);
    std::vector<std::int32_t> number(all);
    std::vector<char> own(call.self == nullptr ? 0 : segments.size() * size), made(segments.size() * result);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const auto s = static_cast<std::size_t>(segments[i]);
        is_one[s] = true;
        number[s] = static_cast<std::int32_t>(i);
        if (call.self != nullptr) std::memcpy(own.data() + i * size, call.self + s * size, size);
    }
    const Some some = rows_of(call, is_one, number);
    SegmentCall less = call;
    less.x = some.elements.data();
    less.labels = {some.labels.data(), true, false, std::ssize(some.labels), std::ssize(segments)};
    less.self = call.self == nullptr ? nullptr : own.data();
    less.out = made.data();
    SegmentOrder order(less.labels);
    reduce_in_order(less, order);
    for (std::size_t i = 0; i < segments.size(); ++i)
        std::memcpy(call.out + static_cast<std::size_t>(segments[i]) * result, made.data() + i * result,
                    result);
}

// Takes the segments again that were left uncertain.
void take_again(const SegmentCall& call, const std::vector<std::int64_t>& uncertain) {
    record(Route::segment_by_label);
    if (uncertain.empty()) return;
    record(Route::segment_uncertain, uncertain.size());
    if (uncertain.size() <= static_cast<std::size_t>(INT32_MAX)) return reduce_some_in_order(call, uncertain);
    SegmentOrder order(call.labels);
    reduce_in_order(call, order);
}

std::int64_t first_empty(const SegmentOrder& order, std::int64_t segments) {
    for (std::int64_t s = 0; s < segments; ++s)
        if (order.count(s) == 0) return s;
    return -1;
}

}  // namespace

SegmentReport reduce_segments(const SegmentCall& call) {
    const FloatingPointScope scope;
    if (suits_places(call.labels)) {
        const ReducedByLabel found = reduce_by_label(call);
        if (found.first_bad_label >= 0) return {found.first_bad_label, -1};
        if (found.is_done) {
            take_again(call, found.uncertain);
            return {-1, found.empty};
        }
    }
    SegmentOrder order(call.labels);
    if (order.first_bad_label() >= 0) return {order.first_bad_label(), -1};
    reduce_in_order(call, order);
    return {-1, first_empty(order, call.labels.segments)};
}

}  // namespace samesum
