// Results in the order in which their sets lie in memory, and then in the one that is asked for: tiles of
// (4096, 64, 8) seen as (64, 8, 4096) would else be as narrow as its last dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/plan.hpp"
#include "run/reduce/finish.hpp"
#include "run/reduce/reduce.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"

namespace samesum {

// An array whose kept dimensions come from the farthest to the nearest one, in parts of so many results that
// room for them is not much.
class Reordered {
  public:
    Reordered(const View& x, const bool* reduced);

    std::int64_t parts(std::size_t bytes_of_result) const;
    // Part number i of n; valid until the next one.
    View part(std::int64_t i, std::int64_t n);
    const bool* reduced() const { return reduced_; }
    // Of the greatest of n parts.
    std::int64_t most_results(std::int64_t n) const;
    // The results of the part, which follow one another, to their places in all of them.
    void put(const char* results, Format format, void* out) const;

  private:
    View x_;
    std::int64_t shape_[max_rank], strides_[max_rank], mask_strides_[max_rank];
    Dims places_;             // of results: `out`
    std::int64_t first_ = 0;  // where the first one goes
    bool reduced_[max_rank];
    int longest_ = 0;         // of the dimensions of the results: what is cut into parts
    std::int64_t begin_ = 0;  // of the part, there
};

// reduce(a part, which of its dimensions are reduced, where the results of the part go) of all parts.
template <class Reduce>
void reduce_reordered(const View& x, const bool* reduced, const Result* results, std::size_t n,
                      const Reduce& reduce) {
    record(Route::reordered);
    Reordered order(x, reduced);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) bytes += size_of(results[i].format);
    const std::int64_t parts = order.parts(bytes);
    std::vector<Scratch> rooms;
    std::vector<Result> some;
    const auto most = static_cast<std::size_t>(order.most_results(parts));
    for (std::size_t i = 0; i < n; ++i) {
        rooms.emplace_back(most * size_of(results[i].format));
        some.push_back(results[i]);
        some[i].out = rooms[i].get();
    }
    for (std::int64_t part = 0; part < parts; ++part) {
        reduce(order.part(part, parts), order.reduced(), some.data());
        for (std::size_t i = 0; i < n; ++i) order.put(rooms[i].get(), some[i].format, results[i].out);
    }
}

// Small sets that lie where no method reads them quickly, as in (512, 32, 32)[:, 3:13, 3:13] along its last
// axis, side by side for a while: some of them at a time.

// As run_job does; the plan was made with these hints.
void reduce_packed(const Plan& plan, const LayoutHints& hints, const Target* targets, std::size_t count);

}  // namespace samesum
