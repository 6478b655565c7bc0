#include "run/long_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "threads/pool.hpp"

namespace samesum {

namespace {

// each(number of the block, its first element, how many it has)
template <class F>
void for_each_block(std::size_t n, F each) {
    auto task = [&](std::size_t t, std::size_t) {
        each(t, t * line_block, std::min(line_block, n - t * line_block));
    };
    for_each_task((n + line_block - 1) / line_block, static_cast<std::size_t>(thread_count()), task);
}

}  // namespace

void normalize_long_line(const LineMethod& method, const char* x, std::size_t n, char* out) {
    const auto [methods, format, kind] = method;
    const std::size_t blocks = (n + line_block - 1) / line_block, size = size_of(static_cast<Format>(format));
    const auto one_by_one = methods.line[format][kind];
    std::vector<double> greatest(blocks);
    const auto find = methods.greatest[format];
    for_each_block(n, [&](std::size_t t, std::size_t at, std::size_t count) {
        greatest[t] = find(x + at * size, count);
    });
    const double most = *std::max_element(greatest.begin(), greatest.end());
    if (!std::isfinite(most)) return one_by_one(x, n, out);

    std::vector<LineShare> shares(blocks);
    const auto add = methods.share[format][kind];
    for_each_block(n, [&](std::size_t t, std::size_t at, std::size_t count) {
        shares[t] = add(x + at * size, count, most);
    });
    LineShare all;
    for (const LineShare& share : shares) all += share;
    if (std::isnan(all.total)) return one_by_one(x, n, out);

    const auto divide = methods.quotients[format][kind];
    for_each_block(n, [&](std::size_t, std::size_t at, std::size_t count) {
        divide(x + at * size, count, most, all, out + at * size);
    });
}

}  // namespace samesum
