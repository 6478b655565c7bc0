// The lines of a normalization, as they lie and side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/tables.hpp"
#include "run/layouts/neighbours.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"

namespace samesum {

// Along some axes of x; results are C-contiguous, of `result` bytes each. Strides are in bytes.
struct Lines {
    const View& x;
    char* const out;
    const std::int64_t item, result;
    Dims all, axis;  // from one line to the next, and along each
    std::int64_t count = 1, length = 1;

    template <class IsAlong>
    Lines(const View& from, const IsAlong& is_along, Format format, void* to)
        : x(from),
          out(static_cast<char*>(to)),
          item(static_cast<std::int64_t>(size_of(from.format))),
          result(static_cast<std::int64_t>(size_of(format))) {
        std::int64_t stride = result;
        for (int i = x.rank; i-- > 0;) {
            const Dim d{x.shape[i], x.strides[i], stride};
            stride *= d.size;
            (is_along(i) ? length : count) *= d.size;
            if (d.size != 1) (is_along(i) ? axis : all).push(d);
        }
        for (Dims* dims : {&all, &axis}) {
            std::reverse(dims->dim, dims->dim + dims->rank);
            merge_neighbours(*dims);
        }
    }

    // The innermost dimensions.
    Dim side() const { return all.rank > 0 ? all.dim[all.rank - 1] : Dim{1, 0, 0}; }
    Dim run() const { return axis.rank > 0 ? axis.dim[axis.rank - 1] : Dim{1, item, result}; }

    bool are_direct() const {
        return !x.swapped && axis.rank <= 1 && run().in == item && run().out == result;
    }
    // Past the caches.
    bool streams() const { return count * length * result >= streamed_bytes; }

    // Stretches of neighbours along the innermost dimension among `n` lines: each(number of the first line,
    // how many, where it is).
    template <class Each>
    void for_each_run(std::int64_t first, std::int64_t n, const Each& each) const {
        const std::int64_t neighbours = side().size;
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t some = std::min(n - i, neighbours - (first + i) % neighbours);
            each(i, some, offsets_at(all, first + i));
            i += some;
        }
    }

    // Lines that lie along memory: take(number of the first line, lines). With `copies` few at a time, whose
    // results are copied from a buffer.
    template <class Take>
    void take_direct(std::int64_t first, std::int64_t n, bool copies, const Take& take) const {
        const std::int64_t most = copies ? std::max<std::int64_t>(1, streamed_elements / length) : n,
                           pitch = length * result;
        std::optional<Scratch> room;
        if (copies) room.emplace(static_cast<std::size_t>(most * pitch));
        for_each_run(first, n, [&](std::int64_t i, std::int64_t neighbours, Offsets at) {
            for (std::int64_t k = 0; k < neighbours; k += most) {
                const std::int64_t now = std::min(most, neighbours - k);
                char* const to = out + at.out + k * side().out;
                take(first + i + k, rows(x.data + at.in + k * side().in, side().in, copies ? room->get() : to,
                                         copies ? pitch : side().out, now));
                for (std::int64_t r = 0; copies && r < now; ++r)
                    stream(to + r * side().out, room->get() + r * pitch, static_cast<std::size_t>(pitch));
            }
        });
    }

    // The same of any others, which are copied together.
    template <class Take>
    void take_gathered(std::int64_t first, std::int64_t n, const Take& take) const {
        const std::int64_t in = length * item + 64, to = length * result + 64;
        const Scratch room(static_cast<std::size_t>(n * (in + to)));
        char* const results = room.get() + n * in;
        for_each_run(first, n, [&](std::int64_t i, std::int64_t neighbours, Offsets at) {
            const Neighbours some{neighbours, side().in, in, static_cast<std::size_t>(item)};
            each_stretch([&](std::int64_t k, Offsets within) {
                some.gather_run(x.data + at.in + within.in, run(), x.swapped, neighbours < few_neighbours,
                                room.get() + i * in + k * item);
            });
        });
        take(first, rows(room.get(), in, results, to, n));
        for_each_run(first, n, [&](std::int64_t i, std::int64_t neighbours, Offsets at) {
            const Neighbours some{neighbours, side().out, to, static_cast<std::size_t>(result)};
            each_stretch([&](std::int64_t k, Offsets within) {
                some.scatter_run(results + i * to + k * result, run(), neighbours < few_neighbours,
                                 out + at.out + within.out);
            });
        });
    }

  private:
    LineRows rows(const char* from, std::int64_t in, char* to, std::int64_t step, std::int64_t n) const {
        return {from, in, to, step, static_cast<std::size_t>(length), static_cast<std::size_t>(n)};
    }

    // each(number of the first element, where it is) of the stretches of a line.
    template <class Each>
    void each_stretch(const Each& each) const {
        Dims outer = axis;
        if (outer.rank > 0) --outer.rank;
        Walk walk(outer, 0);
        for (std::int64_t i = 0; i < length; i += run().size, walk.next())
            each(i, Offsets{walk.in(), walk.out()});
    }
};

}  // namespace samesum
