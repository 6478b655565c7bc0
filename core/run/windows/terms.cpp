#include <algorithm>
#include <vector>

#include "layout/copy.hpp"
#include "run/layouts/gathered.hpp"
#include "run/room.hpp"
#include "run/windows/windows.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

Packing packing_of(const View& x) {
    Dims dims;
    for (int i = 0; i < x.rank; ++i)
        if (x.shape[i] != 1) dims.push({x.shape[i], x.strides[i], 0});
    return {dims, size_of(x.format), x.swapped};
}

}  // namespace

void reduce_terms(const View* terms, std::size_t n, const Reduction& row, Format format, void* out) {
    record(Route::terms);
    const View& first = terms[0];
    const auto count = static_cast<std::int64_t>(n);
    const GatheredSets sets(row, first.format, format, count, count, least_gathered_terms);
    std::vector<Packing> packings;
    for (std::size_t k = 0; k < n; ++k) packings.push_back(packing_of(terms[k]));
    std::int64_t places = 1;
    for (int i = 0; i < first.rank; ++i) places *= first.shape[i];
    const auto in_bytes = static_cast<std::int64_t>(size_of(first.format)),
               out_bytes = static_cast<std::int64_t>(size_of(format));
    const std::int64_t together = sets.together(), bytes = places * count * in_bytes;
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t begin = static_cast<std::int64_t>(t) * together,
                           now = std::min(together, places - begin);
        const Room room(sets.bytes()), some(static_cast<std::size_t>(now * in_bytes));
        for (std::size_t k = 0; k < n; ++k) {
            const std::int64_t at = static_cast<std::int64_t>(k);
            if (sets.are_rows()) {
                packings[k].copy(terms[k].data, begin, now, room.get() + at * now * in_bytes);
                continue;
            }
            packings[k].copy(terms[k].data, begin, now, some.get());
            copy_elements(some.get(), in_bytes, room.get() + at * in_bytes, count * in_bytes,
                          static_cast<std::size_t>(now), static_cast<std::size_t>(in_bytes), false);
        }
        sets.reduce(room.get(), now, static_cast<char*>(out) + begin * out_bytes);
    };
    const BriefWork brief(bytes < brief_bytes);
    for_each_task(static_cast<std::size_t>((places + together - 1) / together),
                  static_cast<std::size_t>(bytes >= threaded_bytes ? thread_count() : 1), task);
}

}  // namespace samesum
