#include "run/segments/segments.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "memory/blocks.hpp"
#include "run/segments/states_by_label.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// The states of all segments, of some of the rows, in huge pages if they are many.
template <class States>
class Part {
    using State = typename States::State;

  public:
    Part(std::size_t segments, const LabelledRange& range)
        : elements(range),
          block_(segments * sizeof(State) < least_block ? nullptr : take_block(segments * sizeof(State))) {
        if (block_ == nullptr) room_.emplace(segments * sizeof(State) + 64);
    }
    ~Part() {
        if (block_ != nullptr) give_block(block_);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void make(std::size_t n) {
        states = static_cast<State*>(block_ != nullptr ? block_ : room_->get());
        std::uninitialized_value_construct_n(states, n);
    }

    States elements;
    State* states = nullptr;
    std::int64_t first_bad_label = -1;

  private:
    void* const block_;
    std::optional<Scratch> room_;
};

template <class States>
class ResultsByLabel {
    using State = typename States::State;

  public:
    ResultsByLabel(const SegmentCall& call, const LabelledRange& range)
        : call_(call), range_(range), all_(range) {}

    ReducedByLabel run() {
        const auto segments = static_cast<std::size_t>(call_.labels.segments);
        std::deque<Part<States>> parts;
        const std::size_t count = parts_for(call_.labels);
        for (std::size_t i = 0; i < count; ++i) parts.emplace_back(segments, range_);
        auto task = [&](std::size_t i, std::size_t) {
            parts[i].make(segments);
            const std::int64_t rows = call_.labels.rows, begin = part_begin(rows, i, count),
                               end = part_begin(rows, i + 1, count);
            parts[i].first_bad_label = call_.labels.narrow ? add<std::int32_t>(parts[i], begin, end)
                                                           : add<std::int64_t>(parts[i], begin, end);
        };
        for_each_task(count, thread_count(), task);
        ReducedByLabel found;
        found.is_done = true;
        for (const Part<States>& part : parts) {
            if (found.first_bad_label < 0) found.first_bad_label = part.first_bad_label;
            all_.join(part.elements);
        }
        if (found.first_bad_label < 0) finish(parts, found);
        return found;
    }

  private:
    // Each has states of all segments.
    static std::size_t parts_for(const Labels& labels) {
        const std::int64_t by_rows = std::min<std::int64_t>(labels.rows / segment_part_rows, thread_count()),
                           by_states = labels.rows / (2 * std::max<std::int64_t>(labels.segments, 1));
        return static_cast<std::size_t>(std::max<std::int64_t>(std::min(by_rows, by_states), 1));
    }

    // Returns the first of the rows whose label names no segment, or -1.
    template <class Label>
    std::int64_t add(Part<States>& part, std::int64_t begin, std::int64_t end) const {
        // Of its own, so that they are not read again after each state that is written.
        const Labels labels = call_.labels;
        State* const states = part.states;
        const std::int64_t size = static_cast<std::int64_t>(size_of(call_.in));
        const bool misses = labels.segments * static_cast<std::int64_t>(sizeof(State)) > cached_state_bytes;
        const std::int64_t ahead = labelled_rows_ahead;
        States& elements = part.elements;
        std::int64_t segments[labelled_block];
        for (std::int64_t row = begin, n; row < end; row += n) {
            n = std::min<std::int64_t>(end - row, labelled_block);
            elements.take(call_.x + row * size, static_cast<std::size_t>(n), call_.in);
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t segment = segment_of<Label>(labels, row + k);
                if (!names(labels, segment)) return row + k;
                if (misses)
                    segments[k] = segment;
                else
                    elements.add(states[segment], static_cast<std::size_t>(k));
            }
            if (!misses) continue;
            for (std::int64_t k = 0; k < std::min(ahead, n); ++k) __builtin_prefetch(states + segments[k], 1);
            for (std::int64_t k = 0; k < n; ++k) {
                __builtin_prefetch(states + segments[std::min(k + ahead, n - 1)], 1);
                elements.add(states[segments[k]], static_cast<std::size_t>(k));
            }
        }
        return -1;
    }

    void finish(const std::deque<Part<States>>& parts, ReducedByLabel& found) {
        const std::int64_t some = labelled_task_segments, segments = call_.labels.segments;
        const auto tasks = static_cast<std::size_t>((segments + some - 1) / some);
        std::vector<std::vector<std::int64_t>> uncertain(tasks);
        std::vector<std::int64_t> empty(tasks, -1);
        if (call_.self != nullptr) look_at_self();
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * some,
                               last = std::min(first + some, segments);
            States own(range_);
            for (std::int64_t s = last - 1; s >= first; --s) {
                State total = parts[0].states[s];
                for (std::size_t i = 1; i < parts.size(); ++i) total.merge(parts[i].states[s]);
                if (total.is_empty()) {
                    empty[t] = s;
                    continue;
                }
                if (call_.self != nullptr) add_self(total, s, own);
                std::uint64_t bits;
                if (all_.finish(total, range_, bits))
                    store_bits(call_.out, static_cast<std::size_t>(s), bits, size_of(call_.format));
                else
                    uncertain[t].push_back(s);
            }
        };
        for_each_task(tasks, thread_count(), task);
        for (std::size_t t = 0; t < tasks; ++t) {
            if (found.empty < 0) found.empty = empty[t];
            found.uncertain.insert(found.uncertain.end(), uncertain[t].rbegin(), uncertain[t].rend());
        }
    }

    void add_self(State& total, std::int64_t s, States& elements) const {
        elements.take(call_.self + s * static_cast<std::int64_t>(size_of(call_.in)), 1, call_.in);
        elements.add(total, 0);
    }
    // What the states have to know of these elements too.
    void look_at_self() {
        for (std::int64_t s = 0, n; s < call_.labels.segments; s += n) {
            n = std::min<std::int64_t>(call_.labels.segments - s, labelled_block);
            all_.take(call_.self + s * static_cast<std::int64_t>(size_of(call_.in)),
                      static_cast<std::size_t>(n), call_.in);
        }
    }

    const SegmentCall& call_;
    const LabelledRange range_;
    States all_;  // what is known of all elements
};

// The greatest magnitude of some contiguous elements; infinity if one of them is not finite.
double greatest_of(const char* x, std::int64_t n, Format format) {
    if (n == 0) return 0;
    const std::int64_t size = static_cast<std::int64_t>(size_of(format)), shape[] = {n}, strides[] = {size};
    char least[8], most[8];
    const Result results[] = {{{Map::itself, Combine::minimum, Finalize::itself, false}, format, least},
                              {{Map::itself, Combine::maximum, Finalize::itself, false}, format, most}};
    constexpr bool reduced[] = {true};
    reduce_several({x, 1, shape, strides, format, false}, reduced, results, 2);
    const auto widen = current_instruction_set().norms->widen[static_cast<std::size_t>(format)];
    double low, high;
    widen(least, 1, &low);
    widen(most, 1, &high);
    return low != low || high != high ? HUGE_VAL : std::max(magnitude(low), magnitude(high));
}

template <class States>
ReducedByLabel results_of(const SegmentCall& call, const LabelledRange& range) {
    return States::suits(range) ? ResultsByLabel<States>(call, range).run() : ReducedByLabel{};
}

bool is_single(const SegmentCall& call) {
    return !is_byte_float(call.in) && call.in != Format::boolean && call.outer == 1 && call.columns == 1 &&
           call.labels.rows > 0;
}

}  // namespace

ReducedByLabel reduce_by_label(const SegmentCall& call) {
    const Combine combine = call.row.combine;
    if (!is_single(call) || call.row.map != Map::itself) return {};
    LabelledRange range{0, static_cast<double>(call.labels.rows + 1), call.row.finalize, call.format,
                        combine == Combine::minimum};
    if (combine == Combine::minimum || combine == Combine::maximum)
        return is_float(call.in) && call.in != Format::f64 ? results_of<Extremes<std::int32_t>>(call, range)
                                                           : results_of<Extremes<std::int64_t>>(call, range);
    if (combine != Combine::sum) return {};
    if (!is_float(call.in)) return results_of<ModularSums>(call, range);
    range.greatest = greatest_of(call.x, call.labels.rows, call.in);
    const double own = call.self == nullptr ? 0 : greatest_of(call.self, call.labels.segments, call.in);
    if (!std::isfinite(range.greatest) || !std::isfinite(own)) return {};
    range.greatest = std::max(range.greatest, own);
    return call.in == Format::f64 ? results_of<WideSums>(call, range) : results_of<NarrowSums>(call, range);
}

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
