// Integer division that rounds up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// a >= 0, b > 0.
constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// The next multiple of the unit.
constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) { return divided_up(n, unit) * unit; }

}  // namespace samesum
