// What reductions of arrays with and without a mask share.
#pragma once

#include <vector>

#include "run/finish.hpp"
#include "run/reduce.hpp"
#include "run/reordered.hpp"
#include "run/room.hpp"
#include "select/routes.hpp"

namespace samesum {

Manner manner_of(const Reduction& row, Format format);

Target target_of(const Plan& plan, const Result& result);

// The value that loses to every other.
std::uint64_t worst(bool maximum, Format format);

bool pays_to_reorder(const Plan& plan, const Result* results, std::size_t n);

// Results in the order of memory first, part by part: each(elements of the part, what is reduced of them,
// where its results go).
template <class Each>
void reduce_in_parts(const View& x, const bool* reduced, const Result* results, std::size_t n,
                     const Each& each) {
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
        const View view = order.part(part, parts);
        std::vector<Result> own = some;
        each(view, order.reduced(), own.data());
        for (std::size_t i = 0; i < n; ++i) order.put(rooms[i].get(), some[i].format, results[i].out);
    }
}

// As `reduce_several` does, of the elements that are chosen: each set of an extreme's position has one, and
// of an extreme, unless NaNs alone are left out. Without zeros, elements are counted.
void reduce_masked(const View& x, const bool* reduced, const Result* results, std::size_t n);

}  // namespace samesum
