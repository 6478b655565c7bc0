#include <algorithm>
#include <bit>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/plan.hpp"
#include "run/masks/masked.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/tiles.hpp"
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

void add_lanes(const Plan& plan, const Method& method, const Range& range, const Chosen& chosen, void* tile) {
    const Dims set = reduced_dims(plan);
    const MaskedElements elements(set, plan);
    MaskWalk place(plan, range.first);
    for (std::int64_t o = range.first; o < range.last; ++o, place.next())
        add_lane(elements, method, plan.format, place.x(), place.mask(), range.begin, range.end, chosen,
                 static_cast<std::size_t>(o - range.first), tile);
}

// Chosen elements alone: column by column, so few rows at a time that their lines stay in the cache.
void add_columns_alone(const Plan& plan, const Method& method, const Range& range, const Chosen& chosen,
                       void* tile) {
    constexpr std::int64_t together = 256;
    const MaskedElements column(plan.reduced, plan);
    const MaskWalk place(plan, range.outer);
    for (std::int64_t r = range.begin; r < range.end; r += together)
        for (std::int64_t j = range.first; j < range.last; ++j)
            add_lane(column, method, plan.format, place.x() + j * plan.inner.in,
                     moved(place.mask(), j * plan.inner.mask), r, std::min(r + together, range.end), chosen,
                     static_cast<std::size_t>(j - range.first), tile);
}

void add_columns(const Plan& plan, const Method& method, const Range& range, std::int64_t fold,
                 const Chosen& chosen, void* tile) {
    const std::int64_t n = range.last - range.first;
    if (chosen.use == MaskUse::compacted) return add_columns_alone(plan, method, range, chosen, tile);
    Dims rows = plan.reduced;
    rows.push({n, plan.inner.in, 0, plan.inner.mask});
    const MaskedElements elements(rows, plan);
    const MaskWalk place(plan, range.outer);
    // Whole groups of the rows that are taken as one.
    const std::int64_t fitting = std::max<std::int64_t>(1, elements.most() / n),
                       most = fitting > fold ? fitting / fold * fold : fitting;
    Rooms rooms;
    for (std::int64_t r = range.begin; r < range.end; r += most) {
        const auto block = elements.block(place.x() + range.first * plan.inner.in,
                                          moved(place.mask(), range.first * plan.inner.mask), r * n,
                                          std::min(most, range.end - r) * n, chosen.use, rooms.x, rooms.mask);
        add_rows(elements, method, block, static_cast<std::size_t>(n), fold, chosen, rooms, tile);
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

}  // namespace samesum
