#include "run/segments/placed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "memory/blocks.hpp"
#include "run/room.hpp"
#include "run/segments/placed_blocks.hpp"
#include "select/segment_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Memory for the states of all segments, in huge pages if it is large.
class StateRoom {
  public:
    explicit StateRoom(std::size_t bytes) : block_(bytes < least_block ? nullptr : take_block(bytes)) {
        if (block_ == nullptr) room_.emplace(bytes);
    }
    ~StateRoom() {
        if (block_ != nullptr) give_block(block_);
    }
    StateRoom(StateRoom&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)), room_(std::move(other.room_)) {}
    StateRoom(const StateRoom&) = delete;
    StateRoom& operator=(const StateRoom&) = delete;
    void* get() const { return block_ != nullptr ? block_ : room_->get(); }

  private:
    void* block_;
    std::optional<Room> room_;
};

template <class States, class Block>
class PlacedResults {
    using State = typename States::State;
    using Way = typename States::Way;

  public:
    PlacedResults(const SegmentCall& call, const PlacedRange& range)
        : call_(call), range_(range), way_(States::way_for(range)), parts_(parts_for(call.labels)) {}

    Placed run() {
        const auto segments = static_cast<std::size_t>(call_.labels.segments);
        std::vector<StateRoom> rooms;
        for (std::size_t i = 0; i < parts_; ++i) rooms.emplace_back(segments * sizeof(State) + 64);
        std::vector<std::int64_t> strangers(parts_);
        std::vector<Way> ways(parts_, way_);
        auto task = [&](std::size_t part, std::size_t) {
            State* const states = new (rooms[part].get()) State[segments]{};
            strangers[part] = call_.labels.narrow ? add<std::int32_t>(part, ways[part], states)
                                                  : add<std::int64_t>(part, ways[part], states);
        };
        for_each_task(parts_, static_cast<std::size_t>(thread_count()), task);
        Placed found;
        found.is_done = true;
        for (std::size_t i = 0; i < parts_; ++i) {
            if (found.stranger < 0) found.stranger = strangers[i];
            States::join(way_, ways[i]);
        }
        if (found.stranger < 0) finish(rooms, found);
        return found;
    }

  private:
    // Each has states of all segments.
    static std::size_t parts_for(const Labels& labels) {
        const std::int64_t by_rows = std::min<std::int64_t>(labels.rows / segment_part_rows, thread_count()),
                           by_states = labels.rows / (2 * std::max<std::int64_t>(labels.segments, 1));
        return static_cast<std::size_t>(std::max<std::int64_t>(std::min(by_rows, by_states), 1));
    }

    template <class Label>
    std::int64_t add(std::size_t part, Way& way, State* states) const {
        const auto i = static_cast<std::int64_t>(part), parts = static_cast<std::int64_t>(parts_);
        const std::int64_t begin = call_.labels.rows * i / parts, end = call_.labels.rows * (i + 1) / parts,
                           size = static_cast<std::int64_t>(size_of(call_.in));
        const auto ahead = static_cast<std::size_t>(
            call_.labels.segments * static_cast<std::int64_t>(sizeof(State)) > cached_state_bytes
                ? std::int64_t{placed_rows_ahead}
                : 0);
        Block elements;
        std::int64_t segments[placed_block];
        for (std::int64_t row = begin, n; row < end; row += n) {
            n = std::min<std::int64_t>(end - row, placed_block);
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t segment = segment_of<Label>(call_.labels, row + k);
                if (!names(call_.labels, segment)) return row + k;
                segments[k] = segment;
            }
            const auto count = static_cast<std::size_t>(n);
            elements.take(call_.x + row * size, count, call_.in, way);
            for (std::size_t k = 0; k < count; ++k) {
                if (ahead > 0) __builtin_prefetch(states + segments[std::min(k + ahead, count - 1)], 1);
                elements.add(states[segments[k]], k);
            }
        }
        return -1;
    }

    void finish(const std::vector<StateRoom>& rooms, Placed& found) {
        const std::int64_t some = placed_task_segments, segments = call_.labels.segments;
        const auto tasks = static_cast<std::size_t>((segments + some - 1) / some);
        std::vector<std::vector<std::int64_t>> uncertain(tasks);
        std::vector<std::int64_t> empty(tasks, -1);
        if (call_.self != nullptr) look_at_self();
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * some,
                               last = std::min(first + some, segments);
            Block own;
            for (std::int64_t s = last - 1; s >= first; --s) {
                State state = states_of(rooms[0])[s];
                for (std::size_t part = 1; part < parts_; ++part)
                    States::join(state, states_of(rooms[part])[s]);
                if (States::is_empty(state)) {
                    empty[t] = s;
                    continue;
                }
                if (call_.self != nullptr) add_self(state, s, own);
                std::uint64_t bits;
                if (States::finish(state, way_, range_, bits))
                    store_bits(call_.out, static_cast<std::size_t>(s), bits, size_of(call_.format));
                else
                    uncertain[t].push_back(s);
            }
        };
        for_each_task(tasks, static_cast<std::size_t>(thread_count()), task);
        for (std::size_t t = 0; t < tasks; ++t) {
            if (found.empty < 0) found.empty = empty[t];
            found.uncertain.insert(found.uncertain.end(), uncertain[t].rbegin(), uncertain[t].rend());
        }
    }

    static const State* states_of(const StateRoom& room) { return static_cast<const State*>(room.get()); }

    void add_self(State& state, std::int64_t s, Block& elements) const {
        Way way = way_;
        elements.take(call_.self + s * static_cast<std::int64_t>(size_of(call_.in)), 1, call_.in, way);
        elements.add(state, 0);
    }
    // What the way of adding has to know of these elements too.
    void look_at_self() {
        Block elements;
        for (std::int64_t s = 0, n; s < call_.labels.segments; s += n) {
            n = std::min<std::int64_t>(call_.labels.segments - s, placed_block);
            elements.take(call_.self + s * static_cast<std::int64_t>(size_of(call_.in)),
                          static_cast<std::size_t>(n), call_.in, way_);
        }
    }

    const SegmentCall& call_;
    const PlacedRange range_;
    Way way_;
    const std::size_t parts_;
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
    const double low = real_at(least, 0, format), high = real_at(most, 0, format);
    // The infinities of float16 are NaN here, which std::max would lose.
    return low != low || high != high ? HUGE_VAL : std::max(magnitude(low), magnitude(high));
}

template <class States, class Block>
Placed results_of(const SegmentCall& call, const PlacedRange& range) {
    return States::suits(range) ? PlacedResults<States, Block>(call, range).run() : Placed{};
}

bool is_single(const SegmentCall& call) {
    return !is_byte_float(call.in) && call.in != Format::boolean && call.outer == 1 && call.columns == 1 &&
           call.labels.rows > 0;
}

}  // namespace

Placed reduce_in_places(const SegmentCall& call) {
    const Combine combine = call.row.combine;
    if (!is_single(call) || call.row.map != Map::itself) return {};
    PlacedRange range{0, static_cast<double>(call.labels.rows + 1), call.row.finalize, call.format,
                      combine == Combine::minimum};
    if (combine == Combine::minimum || combine == Combine::maximum)
        return results_of<PlacedExtreme, ExtremeBlock>(call, range);
    if (combine != Combine::sum) return {};
    if (!is_float(call.in)) return results_of<ModularSum, ModularBlock>(call, range);
    range.greatest = greatest_of(call.x, call.labels.rows, call.in);
    const double own = call.self == nullptr ? 0 : greatest_of(call.self, call.labels.segments, call.in);
    if (!std::isfinite(range.greatest) || !std::isfinite(own)) return {};
    range.greatest = std::max(range.greatest, own);
    return call.in == Format::f64 ? results_of<WideSum, WideBlock>(call, range)
                                  : results_of<NarrowSum, NarrowBlock>(call, range);
}

}  // namespace samesum
