#include <algorithm>
#include <bit>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/plan.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/room.hpp"
#include "select/mask_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

inline const char* moved(const char* mask, std::int64_t step) {
    return mask == nullptr ? nullptr : mask + step;
}

// Memory for a block.
struct Rooms {
    alignas(64) char x[MaskedElements::most_bytes];
    alignas(64) std::uint8_t mask[MaskedElements::most_elements];
};

const MaskMethods& methods() { return *current_instruction_set().masking; }

// Puts the elements that are chosen side by side; returns how many there are.
std::size_t pick(const char* x, const std::uint8_t* mask, std::size_t n, std::size_t size, char* to) {
    return methods().pick[std::countr_zero(size)](x, mask, n, to);
}

// Adds to the method of the counts how many elements each of n columns has in `rows` rows of a mask.
void add_counts(const Method& method, const std::uint8_t* mask, std::ptrdiff_t row_stride, std::size_t rows,
                std::size_t n, void* tile) {
    alignas(64) std::int64_t counts[most_columns];
    methods().count_columns(mask, row_stride, rows, n, counts);
    method.columns(tile, counts, 0, 1, n);
}

// A centre is an element of the format; NaN stands for integers that no double holds, and decides nothing.
void put_centre(double centre, Format format, char* to, std::size_t j) {
    constexpr double signed_end = 0x1p63;
    std::uint64_t bits = 0;
    if (is_float(format))
        bits = round_bits(centre, format);
    else if (centre >= signed_end)
        bits = static_cast<std::uint64_t>(centre);
    else if (centre == centre)
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(centre));
    store_bits(to, j, bits, size_of(format));
}

std::uint64_t bits_at(const char* p, std::size_t size) {
    const auto load = [p](auto part) -> std::uint64_t {
        std::memcpy(&part, p, sizeof part);
        return part;
    };
    switch (size) {
        case 1:
            return load(std::uint8_t{});
        case 2:
            return load(std::uint16_t{});
        case 4:
            return load(std::uint32_t{});
        default:
            return load(std::uint64_t{});
    }
}

// Adds a block of one set about a centre: it stands in place of the elements that the mask does not choose,
// and adds nothing. `room` has space for the block, and may be where its elements are. (Lemma 83)
void add_centred(const MaskedElements& elements, const Method& method, const MaskedElements::Block& block,
                 Format format, std::size_t j, char* room, void* tile) {
    if (block.chosen == 0) return;
    const Centres centres = method.centres(tile);
    const std::size_t size = elements.size();
    char centre[8];
    const char* other = centre;
    if (centres.count[j] == 0) {
        const std::uint8_t* const chosen =
            std::find_if(block.mask, block.mask + block.n, [](std::uint8_t byte) { return byte != 0; });
        other = block.x + static_cast<std::size_t>(chosen - block.mask) * size;
    } else {
        put_centre(centres.centre[j], format, centre, 0);
    }
    method.lanes(tile, j, elements.filled(block, bits_at(other, size), room), block.n, 0, 1);
    centres.count[j] -= static_cast<double>(block.n - block.chosen);
}

// Adds elements [begin, end) of one set to column j.
void add_lane(const MaskedElements& elements, const Method& method, Format format, const char* x,
              const char* mask, std::int64_t begin, std::int64_t end, const Chosen& chosen, std::size_t j,
              void* tile) {
    Rooms rooms;
    const std::int64_t most = elements.most_of_lane();
    for (std::int64_t at = begin; at < end; at += most) {
        const std::int64_t n = std::min(most, end - at);
        const auto block = elements.block(x, mask, at, n, chosen.use, rooms.x, rooms.mask);
        if (chosen.use == MaskUse::counted) {
            const std::int64_t count = static_cast<std::int64_t>(block.chosen);
            method.lanes(tile, j, &count, 1, 0, 1);
        } else if (chosen.use == MaskUse::filled || block.all_chosen()) {
            method.lanes(tile, j, elements.filled(block, chosen.identity, rooms.x), block.n, 0, 1);
        } else if (method.centres != nullptr) {
            add_centred(elements, method, block, format, j, rooms.x, tile);
        } else if (const std::size_t left = pick(block.x, block.mask, block.n, elements.size(), rooms.x);
                   left > 0) {
            method.lanes(tile, j, rooms.x, left, 0, 1);
        }
    }
}

// Adds some rows of n columns.
void add_rows(const MaskedElements& elements, const Method& method, const MaskedElements::Block& block,
              std::size_t n, std::int64_t fold, const Chosen& chosen, Rooms& rooms, void* tile) {
    const std::size_t rows = block.n / n;
    if (chosen.use == MaskUse::counted)
        return add_counts(method, block.mask, static_cast<std::ptrdiff_t>(n), rows, n, tile);
    add_folded(method, elements.filled(block, chosen.identity, rooms.x),
               static_cast<std::int64_t>(n * elements.size()), static_cast<std::int64_t>(rows), n, fold,
               tile);
}

// Rows that become runs at a time.
constexpr std::int64_t most_run_rows = 256;

// Adds some rows of n columns, each of which becomes a run of its chosen elements first.
void add_runs(const MaskedElements& elements, const Method& method, const MaskedElements::Block& block,
              std::size_t n, void* tile) {
    constexpr std::size_t together = 16, most_pitch = most_run_rows + 32;
    const UntangleMethods& untangling = *current_instruction_set().untangling;
    const std::size_t rows = block.n / n, size = elements.size(), pitch = (rows + 15) / 16 * 16 + 16;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(n);
    alignas(64) char runs[together * most_pitch * 8];
    alignas(64) std::uint8_t masks[together * most_pitch];
    for (std::size_t j = 0; j < n; j += together) {
        const std::size_t some = std::min(together, n - j);
        untangling.any[std::countr_zero(size)](block.x + j * size, step, some, rows, runs, pitch);
        untangling.any[0](block.mask + j, step, some, rows, masks, pitch);
        for (std::size_t k = 0; k < some; ++k) {
            char* const run = runs + k * pitch * size;
            const std::size_t left = pick(run, masks + k * pitch, rows, size, run);
            if (left > 0) method.lanes(tile, j + k, run, left, 0, 1);
        }
    }
}

void add_lanes(const Plan& plan, const Method& method, const Range& range, const Chosen& chosen, void* tile) {
    const Dims set = reduced_dims(plan);
    const MaskedElements elements(set, plan);
    MaskWalk place(plan, range.first);
    for (std::int64_t o = range.first; o < range.last; ++o, place.next())
        add_lane(elements, method, plan.format, place.x(), place.mask(), range.begin, range.end, chosen,
                 static_cast<std::size_t>(o - range.first), tile);
}

// Columns of a plan from number `first` on, row by row.
class Columns {
  public:
    Columns(const Plan& plan, const Range& range, std::int64_t first, std::int64_t n)
        : n_(n),
          place_(plan, range.outer),
          x_(place_.x() + first * plan.inner.in),
          mask_(moved(place_.mask(), first * plan.inner.mask)),
          elements_(rows_of(plan, n), plan) {}

    const MaskedElements& elements() const { return elements_; }
    std::int64_t most() const { return std::max<std::int64_t>(1, elements_.most() / n_); }
    MaskedElements::Block rows(std::int64_t r, std::int64_t count, MaskUse use, char* x_room,
                               std::uint8_t* mask_room) const {
        return elements_.block(x_, mask_, r * n_, count * n_, use, x_room, mask_room);
    }

  private:
    static Dims rows_of(const Plan& plan, std::int64_t n) {
        Dims rows = plan.reduced;
        rows.push({n, plan.inner.in, 0, plan.inner.mask});
        return rows;
    }

    const std::int64_t n_;
    const MaskWalk place_;
    const char *const x_, *const mask_;
    const MaskedElements elements_;
};

// Columns that are too few, or lie too far apart, for whole rows of them to be read where they are.
void add_columns_alone(const Plan& plan, const Method& method, const Range& range, void* tile) {
    const std::int64_t n = range.last - range.first,
                       row = n * static_cast<std::int64_t>(size_of(plan.format)),
                       most = std::min(range.end - range.begin,
                                       std::clamp<std::int64_t>(masked_run_bytes / row, least_masked_run_rows,
                                                                most_run_rows));
    const Columns columns(plan, range, range.first, n);
    const Room x(static_cast<std::size_t>(most * row)), mask(static_cast<std::size_t>(most * n));
    for (std::int64_t r = range.begin; r < range.end; r += most) {
        auto block = columns.rows(r, std::min(most, range.end - r), MaskUse::compacted, x.get(),
                                  reinterpret_cast<std::uint8_t*>(mask.get()));
        if (reinterpret_cast<std::uintptr_t>(block.x) % size_of(plan.format) != 0) {
            std::memcpy(x.get(), block.x, block.n * size_of(plan.format));
            block.x = x.get();
        }
        add_runs(columns.elements(), method, block, static_cast<std::size_t>(n), tile);
    }
}

// Rows that lie side by side, read where they are. Those of tiles lie apart: what is next is not what lies
// behind them.
void add_rows_in_place(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                       std::int64_t together, const Chosen& chosen, void* tile) {
    const std::size_t n = static_cast<std::size_t>(range.last - range.first), size = size_of(plan.format),
                      index = static_cast<std::size_t>(std::countr_zero(size));
    const MaskWalk start(plan, range.outer);
    const char *const x = start.x() + range.first * plan.inner.in, *const mask =
                                                                       moved(start.mask(), range.first);
    MaskWalk row(plan.reduced, x, mask, range.begin), next(plan.reduced, x, mask, range.begin);
    Rooms rooms;
    for (std::int64_t r = range.begin, now; r < range.end; r += now) {
        now = std::min(together, range.end - r);
        for (std::size_t i = 0; i < static_cast<std::size_t>(now); ++i, row.next()) {
            next.next();
            Ahead ahead{next.x() - row.x(), mask == nullptr ? 0 : next.mask() - row.mask()};
            auto* of_row = reinterpret_cast<const std::uint8_t*>(row.mask());
            if (plan.skip != Skip::nothing) {
                std::uint8_t* const left = rooms.mask + i * n;
                methods().those_of[index](row.x(), of_row, n, codes_of(plan.format, plan.skip), left, ahead);
                of_row = left;
                ahead = {};
            }
            if (chosen.use == MaskUse::filled)
                methods().fill[index](row.x(), of_row, n, chosen.identity, rooms.x + i * n * size, ahead);
        }
        if (chosen.use == MaskUse::counted)
            add_counts(method, rooms.mask, static_cast<std::ptrdiff_t>(n), static_cast<std::size_t>(now), n,
                       tile);
        else
            add_folded(method, rooms.x, static_cast<std::int64_t>(n * size), now, n, fold, tile);
    }
}

void add_columns(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                 const Chosen& chosen, void* tile) {
    const std::int64_t n = range.last - range.first;
    if (chosen.use == MaskUse::compacted) return add_columns_alone(plan, method, range, tile);
    const Columns columns(plan, range, range.first, n);
    // Whole groups of the rows that are taken as one.
    const std::int64_t fitting = columns.most(), most = fitting > fold ? fitting / fold * fold : fitting;
    const bool are_read = chosen.use == MaskUse::filled || plan.skip != Skip::nothing;
    if (are_read && plan.contiguous && (plan.mask == nullptr || plan.inner.mask == 1))
        return add_rows_in_place(plan, method, range, fold, most, chosen, tile);
    Rooms rooms;
    for (std::int64_t r = range.begin; r < range.end; r += most) {
        const auto block = columns.rows(r, std::min(most, range.end - r), chosen.use, rooms.x, rooms.mask);
        add_rows(columns.elements(), method, block, static_cast<std::size_t>(n), fold, chosen, rooms, tile);
    }
}

}  // namespace

void accumulate_masked(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                       const Chosen& chosen, void* tile) {
    if (chosen.use != MaskUse::counted)
        record(chosen.use == MaskUse::compacted ? Route::mask_picked : Route::mask_filled);
    if (plan.shape == Shape::lanes)
        add_lanes(plan, method, range, chosen, tile);
    else
        add_columns(plan, method, range, fold, chosen, tile);
}

void accumulate_chosen_masked(const Plan& plan, const Method& method, std::int64_t outer,
                              const std::int64_t* columns, std::size_t count, const Chosen& chosen,
                              void* tile) {
    const MaskedElements elements(plan.reduced, plan);
    const MaskWalk place(plan, outer);
    method.init(tile, count);
    for (std::size_t j = 0; j < count; ++j)
        add_lane(elements, method, plan.format, place.x() + columns[j] * plan.inner.in,
                 moved(place.mask(), columns[j] * plan.inner.mask), 0, plan.reduced_count, chosen, j, tile);
}

}  // namespace samesum
