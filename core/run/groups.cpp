#include "run/groups.hpp"

#include <bit>

#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

static_assert(groups_together * most_of_group <= grouped_elements);

std::size_t index_of(Format format) { return static_cast<std::size_t>(std::countr_zero(size_of(format))); }

}  // namespace

Groups Groups::along(const View& x, int axis) {
    Groups groups{x.data, x.format, 0, 0, 1};
    if (x.rank < 3) return groups;
    groups.count = 1;
    groups.rows = x.shape[axis];
    std::int64_t stride = static_cast<std::int64_t>(size_of(x.format));
    bool contiguous = !x.swapped;
    for (int i = x.rank - 1; i >= 0; --i) {
        contiguous = contiguous && (x.shape[i] == 1 || x.strides[i] == stride);
        stride *= x.shape[i];
        if (i != axis) (i > axis ? groups.columns : groups.count) *= x.shape[i];
    }
    if (!contiguous) groups.count = 0;
    return groups;
}

bool Groups::are_small(std::int64_t most_columns, std::int64_t most_elements, Format result,
                       const void* out) const {
    const auto is_aligned = [](const void* p, Format of) {
        return reinterpret_cast<std::uintptr_t>(p) % size_of(of) == 0;
    };
    return count >= least_groups && columns >= 2 && columns <= most_columns && rows >= 2 &&
           rows * columns <= most_elements && is_aligned(data, format) && is_aligned(out, result);
}

std::int64_t Groups::together() const {
    const std::int64_t most = grouped_elements / (rows * columns) / groups_together * groups_together;
    return std::clamp<std::int64_t>(most, groups_together, count);
}

void Groups::untangle(std::int64_t first, std::int64_t number, char* to) const {
    const std::size_t whole = static_cast<std::size_t>(rows * columns), n = static_cast<std::size_t>(number);
    const char* const from = data + first * rows * columns * static_cast<std::int64_t>(size_of(format));
    const auto any = current_instruction_set().untangling->any[index_of(format)];
    any(from, static_cast<std::ptrdiff_t>(whole), whole, n, to, n);
}

void put_groups(const char* results, Format format, std::int64_t of_each, std::int64_t first,
                std::int64_t number, void* out) {
    char* const to = static_cast<char*>(out) + first * of_each * static_cast<std::int64_t>(size_of(format));
    const auto any = current_instruction_set().untangling->any_back[index_of(format)];
    any(results, static_cast<std::size_t>(number), static_cast<std::size_t>(of_each),
        static_cast<std::size_t>(number), to, of_each);
}

}  // namespace samesum
