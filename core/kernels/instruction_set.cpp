#include "kernels/instruction_set.hpp"

#include <atomic>
#include <cstring>

namespace samesum {

#define SAMESUM_DECLARE(isa)                          \
    namespace isa {                                   \
    extern const Methods methods;                     \
    extern const ScanMethods scans;                   \
    extern const ProductMethods products;             \
    extern const SearchMethods searches;              \
    extern const ExponentialMethods exponentials;     \
    extern const UntangleMethods untangling;          \
    extern const NormalizationMethods normalizations; \
    extern const WholeMethods whole;                  \
    extern const ShortMethods shorts;                 \
    extern const ShortIntegerMethods short_integers;  \
    extern const Certificates certificates;           \
    extern const ElementwiseMethods elementwise;      \
    extern const SmoothMethods smooth;                \
    extern const ExactBlocks exact_blocks;            \
    extern const KeptBlocks kept_blocks;              \
    extern const StatisticsMethods statistics;        \
    extern const SpreadMethods spreads;               \
    extern const NormMethods norms;                   \
    extern const MaskMethods masking;                 \
    extern const DotMethods dots;                     \
    extern const ExtremeScanMethods extreme_scans;    \
    extern const WindowMethods windows;               \
    }
#define SAMESUM_METHODS(isa)                                                                          \
    &isa::methods, &isa::scans, &isa::products, &isa::searches, &isa::exponentials, &isa::untangling, \
        &isa::normalizations, &isa::whole, &isa::shorts, &isa::short_integers, &isa::elementwise,     \
        &isa::smooth, &isa::certificates, &isa::exact_blocks, &isa::kept_blocks, &isa::statistics,    \
        &isa::spreads, &isa::norms, &isa::dots, &isa::extreme_scans, &isa::masking, &isa::windows

#if !defined(SAMESUM_BASELINE)
SAMESUM_DECLARE(x86_64_v2)
SAMESUM_DECLARE(x86_64_v3)
SAMESUM_DECLARE(x86_64_v4)

namespace {

bool has_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

bool has_v4() {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

}  // namespace

const InstructionSet instruction_sets[] = {
    {"x86-64-v2", SAMESUM_METHODS(x86_64_v2), [] { return true; }},
    {"x86-64-v3", SAMESUM_METHODS(x86_64_v3), has_v3},
    {"x86-64-v4", SAMESUM_METHODS(x86_64_v4), has_v4},
};
#else
SAMESUM_DECLARE(baseline)

const InstructionSet instruction_sets[] = {{"baseline", SAMESUM_METHODS(baseline), [] { return true; }}};
#endif

const std::size_t instruction_set_count = sizeof instruction_sets / sizeof instruction_sets[0];

namespace {

const InstructionSet& best() {
    std::size_t i = instruction_set_count - 1;
    while (i > 0 && !instruction_sets[i].is_supported()) --i;
    return instruction_sets[i];
}

std::atomic<const InstructionSet*> selected{nullptr};

}  // namespace

const InstructionSet& current_instruction_set() {
    const InstructionSet* set = selected.load(std::memory_order_relaxed);
    if (set == nullptr) selected = set = &best();
    return *set;
}

bool select_instruction_set(const char* name) {
    for (std::size_t i = 0; i < instruction_set_count; ++i) {
        const InstructionSet& set = instruction_sets[i];
        if (std::strcmp(set.name, name) != 0 || !set.is_supported()) continue;
        selected = &set;
        return true;
    }
    return false;
}

}  // namespace samesum
