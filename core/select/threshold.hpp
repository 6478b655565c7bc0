// A number by which one of several ways with the same results is chosen.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace samesum {

// What a threshold decides costs time alone, never a bit of a result. Where each was measured, and what half
// and twice of it cost there, is in benchmarks/results/thresholds.md.
struct Threshold {
    const char* name;
    std::int64_t value;
    const char* unit;
    const char* decides;

    constexpr operator std::int64_t() const;
};

// A row of the tables.
#define SAMESUM_THRESHOLD(name, value, unit, decides) \
    inline constexpr Threshold name{#name, value, unit, decides};

#if defined(SAMESUM_TUNING)
// In builds that measure thresholds: the one that has another value now, if any.
struct Tuned {
    const char* name = nullptr;
    std::int64_t value = 0;
};
inline Tuned tuned;

inline std::int64_t tuned_value(const Threshold& threshold) {
    const bool is_tuned = tuned.name != nullptr && std::strcmp(tuned.name, threshold.name) == 0;
    return is_tuned ? tuned.value : threshold.value;
}

constexpr Threshold::operator std::int64_t() const {
    return std::is_constant_evaluated() ? value : tuned_value(*this);
}
#else
constexpr Threshold::operator std::int64_t() const { return value; }
#endif

}  // namespace samesum
