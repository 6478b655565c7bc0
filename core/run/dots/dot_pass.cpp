#include "run/dots/dot_pass.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/copy.hpp"
#include "run/room.hpp"
#include "select/pair_thresholds.hpp"
#include "select/routes.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = static_cast<std::int64_t>(block_elements);
// Vectors that are read beside each other.
constexpr std::int64_t together = 256, copied_together = 64;

}  // namespace

void DotPass::add(char* tile, const DotRange& some, std::int64_t begin, std::int64_t end) const {
    method_.init(tile, static_cast<std::size_t>(some.count));
    DotWalk walk(all_, some.first);
    for (std::int64_t j = 0; j < some.count;) {
        const bool direct = all_.lies(all_.a, all_.a.step) && all_.lies(all_.b, all_.b.step);
        const std::int64_t now = all_.by_columns ? std::min(walk.run(), some.count - j)
                                 : direct        ? std::min(together, some.count - j)
                                                 : std::min({walk.run(), some.count - j, copied_together});
        const char *a = walk.a() + begin * all_.a.step, *b = walk.b() + begin * all_.b.step;
        if (!all_.by_columns) record(direct ? Route::dot_rows : Route::dot_rows_copied);
        if (all_.by_columns) {
            add_columns(tile, j, a, b, now, end - begin);
            walk.skip(now);
        } else if (direct) {
            add_lanes(tile, j, walk, begin, now, end - begin);
        } else {
            add_copies(tile, j, a, b, now, end - begin);
            walk.skip(now);
        }
        j += now;
    }
}

void DotPass::add_lanes(char* tile, std::int64_t j, DotWalk& walk, std::int64_t begin, std::int64_t count,
                        std::int64_t n) const {
    const char *a[together], *b[together];
    const DotDim side = all_.side();
    for (std::int64_t k = 0; k < count;) {
        const std::int64_t run = std::min(walk.run(), count - k);
        const char *x = walk.a() + begin * item_, *y = walk.b() + begin * item_;
        for (std::int64_t end = k + run; k < end; ++k, x += side.a, y += side.b) a[k] = x, b[k] = y;
        walk.skip(run);
    }
    for (std::int64_t i = 0; i < n; i += block) {
        const std::int64_t now = std::min(block, n - i);
        method_.lanes(tile, static_cast<std::size_t>(j), a, b, static_cast<std::size_t>(now),
                      static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) a[k] += now * item_, b[k] += now * item_;
    }
}

void DotPass::copy(const DotOperand& x, const char* from, std::int64_t row_step, std::int64_t step,
                   std::int64_t rows, std::int64_t columns, char* to, std::int64_t pitch) const {
    if (rows == 1 || std::abs(step) <= std::abs(row_step)) {
        for (std::int64_t r = 0; r < rows; ++r)
            gather(from + r * row_step, step, static_cast<std::size_t>(columns), all_.size(), x.swapped,
                   to + r * pitch);
    } else {
        for (std::int64_t c = 0; c < columns; ++c)
            copy_elements(from + c * step, row_step, to + c * item_, pitch, static_cast<std::size_t>(rows),
                          all_.size(), x.swapped);
    }
}

void DotPass::add_copies(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                         std::int64_t n) const {
    const std::int64_t most = std::clamp<std::int64_t>(dot_copied_bytes / (count * item_), 64, block),
                       pitch = most * item_ + 64;
    const Room room(static_cast<std::size_t>(2 * count * pitch));
    const char* rows[2][copied_together];
    for (std::int64_t i = 0; i < n; i += most) {
        const std::int64_t now = std::min(most, n - i);
        const auto place = [&](const DotOperand& x, const char* p, std::int64_t side, const char** row,
                               char* to) {
            const char* const from = p + i * x.step;
            const bool lies = all_.lies(x, x.step);
            if (!lies) copy(x, from, side, x.step, side == 0 ? 1 : count, now, to, pitch);
            for (std::int64_t k = 0; k < count; ++k)
                row[k] = lies ? from + k * side : to + (side == 0 ? 0 : k * pitch);
        };
        place(all_.a, a, all_.side().a, rows[0], room.get());
        place(all_.b, b, all_.side().b, rows[1], room.get() + count * pitch);
        method_.lanes(tile, static_cast<std::size_t>(j), rows[0], rows[1], static_cast<std::size_t>(now),
                      static_cast<std::size_t>(count));
    }
}

void DotPass::add_columns(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                          std::int64_t n) const {
    const DotDim side = all_.side();
    if (all_.fold > 1 && count == side.size && n >= 4 * all_.fold) return add_folded(tile, j, a, b, count, n);
    const bool a_lies = all_.lies(all_.a, side.a), repeats = side.b == 0 && !all_.b.swapped,
               b_lies = repeats || all_.lies(all_.b, side.b);
    record(a_lies && b_lies ? Route::dot_columns : Route::dot_columns_copied);
    const std::int64_t pitch = count * item_ + 64,
                       most = a_lies && b_lies ? block
                                               : std::clamp<std::int64_t>(dot_copied_bytes / pitch, 8, block);
    const Room room(static_cast<std::size_t>(a_lies && b_lies ? 64 : 2 * most * pitch));
    for (std::int64_t i = 0; i < n; i += most) {
        const std::int64_t now = std::min(most, n - i);
        DotRows rows{a + i * all_.a.step,
                     all_.a.step,
                     b + i * all_.b.step,
                     all_.b.step,
                     static_cast<std::size_t>(now),
                     static_cast<std::size_t>(count),
                     repeats};
        if (!a_lies) {
            copy(all_.a, rows.a, all_.a.step, side.a, now, count, room.get(), pitch);
            rows.a = room.get(), rows.a_stride = pitch;
        }
        if (!b_lies) {
            char* const to = room.get() + most * pitch;
            copy(all_.b, rows.b, all_.b.step, side.b, now, count, to, pitch);
            rows.b = to, rows.b_stride = pitch;
        }
        method_.columns(tile, static_cast<std::size_t>(j), rows);
    }
}

void DotPass::add_folded(char* tile, std::int64_t j, const char* a, const char* b, std::int64_t count,
                         std::int64_t n) const {
    record(Route::dot_columns_folded);
    const Room room(tile_bytes);
    const std::int64_t columns = all_.fold * count, row = columns * item_, whole = n / all_.fold;
    method_.init(room.get(), static_cast<std::size_t>(columns));
    for (std::int64_t i = 0; i < whole; i += block) {
        const std::int64_t now = std::min(block, whole - i);
        method_.columns(room.get(), 0,
                        {a + i * row, row, b + i * row, row, static_cast<std::size_t>(now),
                         static_cast<std::size_t>(columns), false});
    }
    const std::int64_t rest = n % all_.fold;
    if (rest > 0)
        method_.columns(
            room.get(), 0,
            {a + whole * row, row, b + whole * row, row, 1, static_cast<std::size_t>(rest * count), false});
    for (std::int64_t k = 0; k < columns; ++k)
        method_.merge(tile, static_cast<std::size_t>(j + k % count), room.get(), static_cast<std::size_t>(k));
}

}  // namespace samesum
