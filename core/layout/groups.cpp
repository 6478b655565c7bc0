#include "layout/groups.hpp"

#include <algorithm>

#include "select/reduction_thresholds.hpp"

namespace samesum {

static_assert(groups_together * most_of_group <= grouped_elements);

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

}  // namespace samesum
