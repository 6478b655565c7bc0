// The lines of a normalization, as they lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "layout/plan.hpp"
#include "methods/line_method.hpp"
#include "select/normalization_thresholds.hpp"

namespace samesum {

// Strides are in bytes.
struct Lines {
    // Longer lines are several blocks.
    static constexpr std::int64_t block = static_cast<std::int64_t>(line_block);

    const View& x;
    char* const out;
    const std::int64_t item;
    Dims all;
    Dim axis{}, side{};  // the second one is the innermost of all

    Lines(const View& from, int along, void* to)
        : x(from), out(static_cast<char*>(to)), item(static_cast<std::int64_t>(size_of(from.format))) {
        std::int64_t stride = item;
        for (int i = x.rank - 1; i >= 0; --i) {
            const Dim d{x.shape[i], x.strides[i], stride};
            stride *= d.size;
            if (i == along)
                axis = d;
            else if (d.size != 1)
                all.push(d);
        }
        std::reverse(all.dim, all.dim + all.rank);
        merge_neighbours(all);
        side = all.rank > 0 ? all.dim[all.rank - 1] : Dim{1, 0, 0};
    }

    std::int64_t count() const { return all.count(); }
    std::size_t length() const { return static_cast<std::size_t>(axis.size); }

    bool are_direct() const { return !x.swapped && axis.out == item && (axis.in == item || axis.size == 1); }
    // Neighbours, element by element, or many that are nearer to each other than their elements.
    bool are_columns() const {
        const bool near =
            lie_plain() || (side.size >= 2 * few_neighbours && std::abs(side.in) < std::abs(axis.in));
        return near && axis.size <= block && side.out == item;
    }
    // As columns they would leave most of a vector empty.
    bool are_few_and_long() const {
        return side.size <= (item < 8 ? few_narrow_columns : few_wide_columns) &&
               axis.size >= least_of_few_columns;
    }
    bool lie_plain() const { return !x.swapped && side.in == item; }
    bool are_neighbours() const {
        return lie_plain() && side.size >= few_neighbours / 2 && side.out == item && are_whole();
    }
    // Short lines lie side by side.
    bool are_tangled() const {
        return are_direct() && axis.size >= 2 && axis.size <= most_transposed_line && all.rank == 1 &&
               count() >= least_transposed_count && side.in == axis.size * item && are_whole();
    }
    // Aligned to the elements.
    bool are_whole() const {
        const std::uintptr_t size = static_cast<std::uintptr_t>(item);
        return reinterpret_cast<std::uintptr_t>(x.data) % size == 0 &&
               reinterpret_cast<std::uintptr_t>(out) % size == 0 && axis.in % item == 0 &&
               std::all_of(all.dim, all.dim + all.rank, [this](const Dim& d) { return d.in % item == 0; });
    }

    // Stretches of neighbours along the innermost dimension among `n` lines: each(number of the first line,
    // how many, where it is).
    template <class F>
    void for_each_run(std::int64_t first, std::int64_t n, F each) const {
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t run = std::min(n - i, side.size - (first + i) % side.size);
            each(i, run, offsets_at(all, first + i));
            i += run;
        }
    }
};

}  // namespace samesum
