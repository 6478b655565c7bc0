#include "run/states/kept_states.hpp"

#include <algorithm>
#include <array>

#include "kernels/instruction_set.hpp"
#include "methods/kept_blocks.hpp"
#include "run/exact/exact_sums.hpp"
#include "run/reduce/finish.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Elements of each set that a task takes, so that there are some tasks for each thread.
std::int64_t slice_of(const Plan& plan, std::size_t parts, int threads) {
    // Methods of integers count on it.
    constexpr std::int64_t most = std::int64_t{1} << 30, rows = static_cast<std::int64_t>(kept_additions);
    static_assert(least_state_slice % rows == 0);
    const std::int64_t all = static_cast<std::int64_t>(parts), tasks = pieces_per_thread * threads,
                       columns = (plan.kept_count + all - 1) / all, wanted = (tasks + all - 1) / all;
    if (threads == 1 || wanted <= 1) return std::min(plan.reduced_count, most);
    const std::int64_t least = std::max(rows, least_state_slice / columns / rows * rows),
                       slice = (plan.reduced_count + wanted - 1) / wanted;
    return std::min((slice + least - 1) / least * least, most);
}

}  // namespace

void for_each_range(const View& piece, const bool* reduced, std::size_t most_columns, const TakeRange& take) {
    const FloatingPointScope scope;
    if (std::find(piece.shape, piece.shape + piece.rank, 0) != piece.shape + piece.rank) return;
    const Plan plan = plan_reduction(piece, reduced, {});
    const std::vector<Outputs> parts = parts_of(plan, most_columns);
    const std::int64_t bytes =
        plan.kept_count * plan.reduced_count * static_cast<std::int64_t>(size_of(piece.format));
    const int threads = threads_for(bytes, threaded_bytes);
    const std::int64_t slice = slice_of(plan, parts.size(), threads);
    const std::size_t slices = static_cast<std::size_t>((plan.reduced_count + slice - 1) / slice);
    std::mutex joining;
    auto task = [&](std::size_t t, std::size_t) {
        const Outputs& part = parts[t / slices];
        const std::int64_t begin = static_cast<std::int64_t>(t % slices) * slice;
        take(plan, part,
             {part.outer, part.first, part.last, begin, std::min(begin + slice, plan.reduced_count)},
             slices > 1 ? &joining : nullptr);
    };
    for_each_task(parts.size() * slices, threads, task);
}

void add_to_states(const View& piece, const bool* reduced, const Method& method, void* states,
                   const Chosen& chosen) {
    for_each_range(
        piece, reduced, method.max_columns,
        [&](const Plan& plan, const Outputs& part, const Range& range, std::mutex* joining) {
            const TileScope tile;
            add_range(
                plan, method, part, range, joining, tile.tile(),
                [&](std::size_t j, std::size_t place) { method.merge(states, place, tile.tile(), j, 1); },
                chosen);
        });
}

namespace {

template <Format format, Map map>
struct KeptSums {
    static constexpr std::size_t size = size_of(format),
                                 most_columns = format == Format::f64 || map == Map::square ? tile_columns / 2
                                                                                            : tile_columns;

    static const KeptBlock& block() {
        const auto& blocks = current_instruction_set().kept_blocks->block;
        return blocks[static_cast<std::size_t>(format)][static_cast<std::size_t>(map)];
    }

    static void init(void* tile, std::size_t n) { KeptTile::of(tile).init(n); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        KeptTile& t = KeptTile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t now; n > 0; n -= now, p += now * size) {
            KeptPart sum;
            sum.exponent = t.exponent[j];
            now = block().lane(sum, p, n);
            record(now > 0 ? Route::state_kept_blocks : Route::state_exact_blocks);
            if (now > 0) {
                t.join(j, sum);
            } else {
                now = std::min(n, exact_elements);
                add_elements<format, map>(t.overflow->at(j).rest(), p, size, now);
            }
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        const char* p = static_cast<const char*>(x);
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = std::min(rows, kept_additions);
            add_rows(KeptTile::of(tile), p, row_stride, now, n);
        }
    }

    static void add_rows(KeptTile& t, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                         std::size_t n) {
        choose_exponents(t, p, row_stride, rows, n);
        std::uint8_t failed[tile_columns];
        const KeptColumns sums{t.exponent, {t.part[0], t.part[1], t.part[2], t.part[3]}, failed};
        record(Route::state_kept_blocks);
        if (block().columns(sums, p, row_stride, rows, n) == 0) return;
        for (std::size_t j = 0; j < n; ++j) {
            if (!failed[j]) continue;
            char column[kept_additions * size];
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(column + r * size, p + static_cast<std::ptrdiff_t>(r) * row_stride + j * size,
                            size);
            lane(&t, j, column, rows);
        }
    }

    static void choose_exponents(KeptTile& t, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                                 std::size_t n) {
        double sizes[tile_pitch];
        const std::int32_t one = block().exponent;
        if (one == no_exponent) block().sizes(p, row_stride, rows, n, sizes);
        // Columns begin with one exponent where that suits: totals of equal exponents are joined by vectors.
        const std::int32_t common =
            one != no_exponent ? one : kept_exponent(*std::max_element(sizes, sizes + n), no_exponent);
        for (std::size_t j = 0; j < n; ++j) {
            const std::int32_t before = t.blocks[j] > 0 ? t.exponent[j] : common;
            const std::int32_t found = one != no_exponent ? one : kept_exponent(sizes[j], before);
            t.make_room(j, found != no_exponent ? found : std::max(t.exponent[j], 0), 1);
        }
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        KeptTile::of(tile).merge(j, *static_cast<const KeptTile*>(from), i);
    }

    static constexpr Method method{most_columns, init, each_lane<lane>, columns, each_merge<merge>, nullptr};
};

template <Format format>
constexpr std::array<const Method*, 3> by_map = {&KeptSums<format, Map::itself>::method,
                                                 &KeptSums<format, Map::magnitude>::method,
                                                 &KeptSums<format, Map::square>::method};

}  // namespace

const Method& kept_method(Format format, Map map) {
    static constexpr std::array<std::array<const Method*, 3>, 4> methods = {
        by_map<Format::f16>, by_map<Format::bf16>, by_map<Format::f32>, by_map<Format::f64>};
    return *methods[static_cast<std::size_t>(format)][static_cast<std::size_t>(map)];
}

void add_to_totals(const View& piece, const bool* reduced, Map map, FloatTotals& totals) {
    const Method& method = kept_method(piece.format, map);
    for_each_range(piece, reduced, method.max_columns,
                   [&](const Plan& plan, const Outputs& part, const Range& range, std::mutex* joining) {
                       const TileScope scope;
                       KeptTile& tile = KeptTile::of(scope.tile());
                       Overflow overflow(tile_pitch);
                       tile.overflow = &overflow;
                       add_range(
                           plan, method, part, range, joining, &tile,
                           [&](std::size_t j, std::size_t place) { tile.give_to(totals.of(place), j); });
                   });
}

namespace {

using Words = void (*)(const void* tile, std::size_t j, std::uint64_t (&words)[3]);

template <bool has_sign>
void words_of_total(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    words[0] = static_cast<const std::uint64_t*>(tile)[j];
    words[1] = words[2] = has_sign && words[0] >> 63 != 0 ? ~std::uint64_t{0} : 0;
}

void words_of_wide(const void* tile, std::size_t j, std::uint64_t (&words)[3]) {
    std::copy_n(static_cast<const WideInteger*>(tile)[j].word, 3, words);
}

// Exact for slices of less than 2^31 elements.
struct IntegerSums {
    const Method& method;
    Words words;

    static IntegerSums of(Format in, Map map) {
        const InstructionSet& set = current_instruction_set();
        const std::size_t format = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) -
                                   static_cast<std::size_t>(Format::i8),
                          at = static_cast<std::size_t>(map);
        if (fits_64_bits(in, map))
            return {set.methods->modular[format][1][at],
                    map == Map::itself && !is_unsigned(in) ? words_of_total<true> : words_of_total<false>};
        if (set.kept_blocks->split_words[format][at] != nullptr)
            return {set.whole->split[format][at], set.kept_blocks->split_words[format][at]};
        return {wide_method(in, map), words_of_wide};
    }
};

}  // namespace

void add_to_totals(const View& piece, const bool* reduced, Map map, WideInteger* totals) {
    const IntegerSums sums = IntegerSums::of(piece.format, map);
    for_each_range(piece, reduced, sums.method.max_columns,
                   [&](const Plan& plan, const Outputs& part, const Range& range, std::mutex* joining) {
                       const TileScope tile;
                       add_range(plan, sums.method, part, range, joining, tile.tile(),
                                 [&](std::size_t j, std::size_t place) {
                                     WideInteger sum;
                                     sums.words(tile.tile(), j, sum.word);
                                     totals[place].merge(sum);
                                 });
                   });
}

}  // namespace samesum
