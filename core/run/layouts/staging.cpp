#include "run/layouts/staging.hpp"

#include <bit>

#include "kernels/instruction_set.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

namespace {

// Elements that groups may have: larger ones are soon done along all of their lines.
std::int64_t most_of_groups(Combine combine, Format format) {
    if (!is_float(format)) return most_of_integer_group;
    return combine == Combine::sum && format == Format::f64 ? most_of_double_group : most_of_group;
}

Load load_of(const Staging& staging, std::int64_t most_elements, Format format, const void* out) {
    if (staging.groups.are_small(few_columns, most_elements, format, out)) return Load::groups;
    return staging.lines.suit() ? Load::packed : Load::direct;
}

}  // namespace

Staging stage_scan(Combine combine, const View& x, int axis, Format format, const void* out) {
    Staging staging{Load::direct, Groups::along(x, axis), PackedLines(x, axis)};
    const std::int64_t most = most_of_groups(combine, x.format);
    staging.load = load_of(staging, most, format, out);
    return staging;
}

Staging stage_normalization(const View& x, int axis, const void* out) {
    Staging staging{Load::direct, Groups::along(x, axis), PackedLines(x, axis)};
    staging.load = load_of(staging, most_of_group, x.format, out);
    return staging;
}

namespace {

std::size_t index_of(Format format) { return static_cast<std::size_t>(std::countr_zero(size_of(format))); }

}  // namespace

void transpose_groups(const Groups& groups, std::int64_t first, std::int64_t number, char* to) {
    const std::size_t each = static_cast<std::size_t>(groups.rows * groups.columns),
                      n = static_cast<std::size_t>(number);
    const std::int64_t size = static_cast<std::int64_t>(size_of(groups.format));
    const char* const from = groups.data + first * groups.rows * groups.columns * size;
    const auto any = current_instruction_set().transposes->any[index_of(groups.format)];
    any(from, static_cast<std::ptrdiff_t>(each), each, n, to, n);
}

void put_groups(const char* results, Format format, std::int64_t of_each, std::int64_t first,
                std::int64_t number, void* out) {
    char* const to = static_cast<char*>(out) + first * of_each * static_cast<std::int64_t>(size_of(format));
    const auto any = current_instruction_set().transposes->any_back[index_of(format)];
    any(results, static_cast<std::size_t>(number), static_cast<std::size_t>(of_each),
        static_cast<std::size_t>(number), to, of_each);
}

}  // namespace samesum
