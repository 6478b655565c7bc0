#include "kernels/instruction_set.hpp"

#include <atomic>
#include <cstring>

#include "kernels/processor.hpp"

namespace samesum {

#define SAMESUM_DECLARE(isa)                          \
    namespace isa {                                   \
    extern const Methods methods;                     \
    extern const ScanMethods scans;                   \
    extern const ProductMethods products;             \
    extern const SearchMethods searches;              \
    extern const ExponentialMethods exponentials;     \
    extern const TransposeMethods transposes;         \
    extern const NormalizationMethods normalizations; \
    extern const WholeMethods whole;                  \
    extern const ShortMethods shorts;                 \
    extern const ShortIntegerMethods short_integers;  \
    extern const Certificates certificates;           \
    extern const ElementwiseMethods elementwise;      \
    extern const SmoothMethods smooth;                \
    extern const KeptBlocks kept_blocks;              \
    extern const StatisticsMethods statistics;        \
    extern const SpreadMethods spreads;               \
    extern const NormMethods norms;                   \
    extern const MaskMethods masking;                 \
    extern const DotMethods dots;                     \
    extern const ContractionMethods contractions;     \
    extern const ExtremeScanMethods extreme_scans;    \
    extern const WindowMethods windows;               \
    extern const AttentionMethods attention;          \
    }
#if defined(SAMESUM_TEST_HOOKS)
#define SAMESUM_CERTIFICATES(isa) &isa::certificates
#else
#define SAMESUM_CERTIFICATES(isa) nullptr
#endif
#define SAMESUM_METHODS(isa)                                                                            \
    &isa::methods, &isa::scans, &isa::products, &isa::searches, &isa::exponentials, &isa::transposes,   \
        &isa::normalizations, &isa::whole, &isa::shorts, &isa::short_integers, &isa::elementwise,       \
        &isa::smooth, SAMESUM_CERTIFICATES(isa), &isa::kept_blocks, &isa::statistics, &isa::spreads,    \
        &isa::norms, &isa::dots, &isa::extreme_scans, &isa::masking, &isa::windows, &isa::contractions, \
        &isa::attention

#define SAMESUM_SET(place, isa) {levels[place].name, SAMESUM_METHODS(isa), levels[place].is_here}

SAMESUM_DECLARE(baseline)
SAMESUM_DECLARE(x86_64_v2)
SAMESUM_DECLARE(x86_64_v3)
SAMESUM_DECLARE(x86_64_v4)

const InstructionSet instruction_sets[] = {
#if defined(SAMESUM_HAS_baseline)
    SAMESUM_SET(0, baseline),
#endif
#if defined(SAMESUM_HAS_x86_64_v2)
    SAMESUM_SET(1, x86_64_v2),
#endif
#if defined(SAMESUM_HAS_x86_64_v3)
    SAMESUM_SET(2, x86_64_v3),
#endif
#if defined(SAMESUM_HAS_x86_64_v4)
    SAMESUM_SET(3, x86_64_v4),
#endif
};

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

std::string missing_instruction_set() {
    std::string compiled;
    for (const InstructionSet& set : instruction_sets) {
        if (set.is_supported()) return "";
        compiled += (compiled.empty() ? "" : ", ") + std::string(set.name);
    }
    const Level& own = own_level();
    return "this samesum was compiled for " + compiled + ", and this machine has " +
           (&own == levels ? "none of x86-64-v2 to x86-64-v4" : "no more than " + std::string(own.name)) +
           "; compile it here (`pip install .` in a checkout), or elsewhere with "
           "`-C cmake.define.SAMESUM_INSTRUCTION_SETS=" +
           (&own == levels ? "baseline`" : "all`");
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
