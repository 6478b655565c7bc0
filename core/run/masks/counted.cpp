#include "run/masks/counted.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "arithmetic/rounding.hpp"
#include "run/reduce/accumulate.hpp"

namespace samesum {

namespace {

// Finishes the columns of one count at a time, side by side in a tile of their own.
class CountedTile {
  public:
    CountedTile(const Target& target, std::size_t tier, void* tile, const std::vector<std::int64_t>& counts)
        : target_(target), method_(target.tiers.method[tier]), tile_(tile), counts_(counts) {}

    std::size_t finish(void* results, std::uint8_t* failed) {
        const std::vector<std::uint32_t> order = by_count();
        std::size_t failures = 0;
        for (std::size_t first = 0, last; first < order.size(); first = last) {
            const std::int64_t count = counts_[order[first]];
            last = first + 1;
            while (last < order.size() && counts_[order[last]] == count) ++last;
            if (count > 0) failures += finish_some(&order[first], last - first, count, results, failed);
        }
        return failures;
    }

  private:
    // The columns from the fewest elements to the most.
    std::vector<std::uint32_t> by_count() const {
        const auto [least, most] = std::minmax_element(counts_.begin(), counts_.end());
        const std::size_t n = counts_.size(), range = static_cast<std::size_t>(*most - *least) + 1;
        std::vector<std::uint32_t> order(n);
        if (range > 4 * n) {
            std::iota(order.begin(), order.end(), 0u);
            std::sort(order.begin(), order.end(),
                      [this](std::uint32_t a, std::uint32_t b) { return counts_[a] < counts_[b]; });
            return order;
        }
        std::vector<std::uint32_t> place(range + 1);
        for (const std::int64_t count : counts_) ++place[static_cast<std::size_t>(count - *least) + 1];
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (std::size_t j = 0; j < n; ++j)
            order[place[static_cast<std::size_t>(counts_[j] - *least)]++] = static_cast<std::uint32_t>(j);
        return order;
    }

    std::size_t finish_some(const std::uint32_t* columns, std::size_t n, std::int64_t count, void* results,
                            std::uint8_t* failed) {
        const TileScope scope;
        method_.init(scope.tile(), n);
        for (std::size_t i = 0; i < n; ++i) method_.merge(scope.tile(), i, tile_, columns[i], 1);
        Finish how = target_.how;
        how.count = count;
        alignas(64) char some[most_columns * 8];
        std::uint8_t some_failed[most_columns];
        const std::size_t failures = method_.finish(scope.tile(), n, how, some, some_failed),
                          size = size_of(how.format);
        for (std::size_t i = 0; i < n; ++i) {
            failed[columns[i]] = some_failed[i];
            // What failed may have a result already.
            if (!some_failed[i])
                std::memcpy(static_cast<char*>(results) + columns[i] * size, some + i * size, size);
        }
        return failures;
    }

    const Target& target_;
    const Method& method_;
    void* const tile_;
    const std::vector<std::int64_t>& counts_;
};

}  // namespace

std::size_t finish_counted(const Target& target, std::size_t tier, void* tile,
                           const std::vector<std::int64_t>& counts, void* results, std::uint8_t* failed) {
    const Method& method = target.tiers.method[tier];
    const std::size_t n = counts.size();
    const bool are_equal =
        std::all_of(counts.begin(), counts.end(), [&](std::int64_t count) { return count == counts[0]; });
    std::size_t failures;
    Finish how = target.how;
    std::vector<double> padded;  // by more than a vector
    const bool taken = target.divides && !are_equal && method.takes_counts;
    if (taken) {
        padded.assign(n + (tile_pitch - tile_columns), 1);
        std::transform(counts.begin(), counts.end(), padded.begin(), [](std::int64_t count) {
            return static_cast<double>(std::max<std::int64_t>(count, 1));
        });
        how.counts = padded.data();
        failures = method.finish(tile, n, how, results, failed);
    } else if (!target.divides || (are_equal && counts[0] > 0)) {
        if (target.divides) how.count = counts[0];
        failures = method.finish(tile, n, how, results, failed);
    } else {
        failures = CountedTile(target, tier, tile, counts).finish(results, failed);
    }
    for (std::size_t j = 0; j < n; ++j) {
        if (counts[j] > 0) continue;
        if ((taken || !target.divides) && failed[j]) --failures;
        failed[j] = 0;
        store_bits(results, j, target.none, size_of(how.format));
    }
    return failures;
}

}  // namespace samesum
