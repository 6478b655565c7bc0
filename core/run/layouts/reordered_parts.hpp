// Results in the order of memory, part by part (run/layouts/reordered.hpp).
#pragma once

#include <vector>

#include "run/layouts/reordered.hpp"
#include "run/reduce/reduce.hpp"
#include "run/room.hpp"
#include "select/routes.hpp"

namespace samesum {

// reduce(a part, which of its dimensions are reduced, where the results of the part go) of all parts.
template <class Reduce>
void reduce_reordered(const View& x, const bool* reduced, const Result* results, std::size_t n,
                      const Reduce& reduce) {
    record(Route::reordered);
    Reordered order(x, reduced);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) bytes += size_of(results[i].format);
    const std::int64_t parts = order.parts(bytes);
    std::vector<Room> rooms;
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

}  // namespace samesum
