#include "run/layouts/groups.hpp"

#include <bit>

#include "kernels/instruction_set.hpp"

namespace samesum {

namespace {

std::size_t index_of(Format format) { return static_cast<std::size_t>(std::countr_zero(size_of(format))); }

}  // namespace

void transpose_groups(const Groups& groups, std::int64_t first, std::int64_t number, char* to) {
    const std::size_t each = static_cast<std::size_t>(groups.rows * groups.columns),
                      n = static_cast<std::size_t>(number);
    const std::int64_t size = static_cast<std::int64_t>(size_of(groups.format));
    const char* const from = groups.data + first * groups.rows * groups.columns * size;
    const auto any = current_instruction_set().untangling->any[index_of(groups.format)];
    any(from, static_cast<std::ptrdiff_t>(each), each, n, to, n);
}

void put_groups(const char* results, Format format, std::int64_t of_each, std::int64_t first,
                std::int64_t number, void* out) {
    char* const to = static_cast<char*>(out) + first * of_each * static_cast<std::int64_t>(size_of(format));
    const auto any = current_instruction_set().untangling->any_back[index_of(format)];
    any(results, static_cast<std::size_t>(number), static_cast<std::size_t>(of_each),
        static_cast<std::size_t>(number), to, of_each);
}

}  // namespace samesum
