// The levels of x86-64, and which of them this machine has. CMake compiles it too, to find the machine's own.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace samesum {

struct Level {
    const char *name, *identifier;
    bool (*is_here)();
};

#if defined(__x86_64__)
namespace x86_64 {

// Bits of the third word that cpuid gives.
inline bool has_bits(unsigned leaf, unsigned bits) {
    unsigned a, b, c, d;
    return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (c & bits) == bits;
}

inline bool has_v2() {
    return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
           __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

inline bool has_v3() {
    constexpr unsigned movbe = 1u << 22, f16c = 1u << 29, lzcnt = 1u << 5;
    return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_bits(1, movbe | f16c) &&
           has_bits(0x80000001, lzcnt);
}

inline bool has_v4() {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

}  // namespace x86_64
#endif

// From the lowest to the highest; the first one is that of the compiler's own flags.
constexpr Level levels[] = {
    {"baseline", "baseline", [] { return true; }},
#if defined(__x86_64__)
    {"x86-64-v2", "x86_64_v2", x86_64::has_v2},
    {"x86-64-v3", "x86_64_v3", x86_64::has_v3},
    {"x86-64-v4", "x86_64_v4", x86_64::has_v4},
#endif
};

// The highest that is here.
inline const Level& own_level() {
    const Level* own = levels;
    for (const Level& level : levels) {
        if (level.is_here()) own = &level;
    }
    return *own;
}

}  // namespace samesum
