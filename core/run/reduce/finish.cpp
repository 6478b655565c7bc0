#include "run/reduce/finish.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "arithmetic/rounding.hpp"
#include "layout/copy.hpp"
#include "run/reduce/reduce.hpp"
#include "run/tiles.hpp"

namespace samesum {

namespace {

// How many elements each of n outputs has, whose results go to place(0) to place(n - 1).
template <class PlaceOf>
std::vector<std::int64_t> counts_of(const Target& target, std::size_t n, const PlaceOf& place) {
    std::vector<std::int64_t> counts(n);
    for (std::size_t j = 0; j < n; ++j) counts[j] = target.counts[place(j)];
    return counts;
}

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

// Does what the method's `finish` does, with a count for each output instead of one for all.
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

// place(j): where the result number j goes, in elements.
template <class PlaceOf>
std::size_t finish(const Target& target, std::size_t tier, void* tile, std::size_t n, void* results,
                   std::uint8_t* failed, const PlaceOf& place) {
    const std::size_t failures =
        target.counts == nullptr
            ? target.tiers.method[tier].finish(tile, n, target.how, results, failed)
            : finish_counted(target, tier, tile, counts_of(target, n, place), results, failed);
    counters.reductions[target.tiers.number[tier]] += n - failures;
    record(target.tiers.route[tier], n - failures);
    return failures;
}

// A quicker one with the same results for sets of one element.
Reduction of_one(Reduction row, Format in, Format out) {
    if (row.combine == Combine::spread) return row;
    if (row.map == Map::exponential) row = {Map::itself, Combine::sum, Finalize::over_count, false};
    if (!is_float(in)) return row;
    if (row.finalize == Finalize::over_count) row.finalize = Finalize::itself;
    if (row.finalize == Finalize::root && row.map == Map::square)
        row = {Map::magnitude, row.combine, Finalize::itself, false};
    if (row.combine == Combine::product && in == out) row.combine = Combine::maximum;  // of zeros too
    return row;
}

}  // namespace

Target target_of(const Plan& plan, const Result& result) {
    const Reduction row =
        plan.reduced_count == 1 ? of_one(result.row, plan.format, result.format) : result.row;
    return {choose_tiers(row, plan.format, result.format, plan.reduced_count),
            {row.finalize, result.format, plan.reduced_count, row.correction},
            static_cast<char*>(result.out)};
}

std::vector<Outputs> parts_of(const Plan& plan, std::size_t most) {
    const bool lanes = plan.shape == Shape::lanes;
    const std::int64_t outer = lanes ? 1 : plan.kept.count(),
                       inner = lanes ? plan.kept_count : plan.inner.size,
                       width = static_cast<std::int64_t>(most);
    std::vector<Outputs> parts;
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t first = 0; first < inner; first += width)
            parts.push_back({o, first, std::min(inner, first + width)});
    }
    return parts;
}

std::int64_t place_of(const Plan& plan, const Outputs& part, std::int64_t j) {
    const std::int64_t at = part.first + j;
    if (plan.shape == Shape::lanes) return plan.out + offsets_at(plan.kept, at).out;
    return plan.out + offsets_at(plan.kept, part.outer).out + at * plan.inner.out;
}

std::size_t finish_outputs(const Plan& plan, const Target& target, std::size_t tier, void* tile,
                           const Outputs& o, std::uint8_t* failed) {
    const std::size_t n = static_cast<std::size_t>(o.count()), size = size_of(target.how.format);
    const std::int64_t bytes = static_cast<std::int64_t>(size);
    alignas(64) char results[most_columns * 8];
    if (plan.shape == Shape::columns) {
        const std::int64_t first = plan.out + offsets_at(plan.kept, o.outer).out + o.first * plan.inner.out;
        char* const to = target.out + first * bytes;
        const auto place = [&](std::size_t j) {
            return first + static_cast<std::int64_t>(j) * plan.inner.out;
        };
        if (plan.inner.out == 1) return finish(target, tier, tile, n, to, failed, place);
        const std::size_t failures = finish(target, tier, tile, n, results, failed, place);
        const std::int64_t step = plan.inner.out * bytes;
        if (failures == 0) return scatter(results, n, size, to, step), 0;
        // What failed may have a result already.
        for (std::size_t j = 0; j < n; ++j) {
            if (!failed[j])
                scatter(results + j * size, 1, size, to + static_cast<std::int64_t>(j) * step, step);
        }
        return failures;
    }
    const auto place = [&](std::size_t j) { return place_of(plan, o, static_cast<std::int64_t>(j)); };
    const std::size_t failures = finish(target, tier, tile, n, results, failed, place);
    const Dim last = plan.kept.rank > 0 ? plan.kept.dim[plan.kept.rank - 1] : Dim{1, 0, 1};
    for (std::size_t j = 0; j < n;) {
        const std::int64_t index = o.first + static_cast<std::int64_t>(j);
        const std::int64_t at = plan.out + offsets_at(plan.kept, index).out;
        const std::size_t run = std::min(n - j, static_cast<std::size_t>(last.size - index % last.size));
        scatter(results + j * size, run, size, target.out + at * bytes, last.out * bytes);
        j += run;
    }
    return failures;
}

std::uint64_t worst(bool maximum, Format format) {
    const bool has_sign = is_float(format) || !is_unsigned(format);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * size_of(format)),
                        sign = has_sign ? sign_bit(format) : 0;
    if (is_float(format))
        return (has_infinity(format) ? infinity_bits(format) : traits_of(format).largest) |
               (maximum ? sign : 0);
    if (format == Format::boolean) return maximum ? 0 : 1;
    return maximum ? sign : ones & ~sign;
}

namespace {

std::uint64_t empty_sum(Finalize finalize, Format format) {
    if (finalize == Finalize::over_count) return canonical_nan(format);
    return finalize == Finalize::logarithm ? worst(true, format) : 0;
}

}  // namespace

void fill_empty(const Reduction& row, Format format, void* out, std::int64_t n) {
    std::uint64_t bits = 0;
    switch (row.combine) {
        case Combine::sum:
            bits = empty_sum(row.finalize, format);
            break;
        case Combine::minimum:
        case Combine::maximum:
            bits = worst(row.combine == Combine::maximum, format);
            break;
        case Combine::product:
        case Combine::logical_and:
            bits = is_float(format) ? round_bits(1, format) : 1;
            break;
        case Combine::spread:
            bits = canonical_nan(format);
            break;
        default:
            break;
    }
    for (std::int64_t i = 0; i < n; ++i) store_bits(out, static_cast<std::size_t>(i), bits, size_of(format));
}

}  // namespace samesum
