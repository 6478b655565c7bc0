#include "kernels/exact_blocks.hpp"

#include "kernels/instruction_set.hpp"

namespace samesum {

#if defined(__x86_64__)
namespace x86_64_v2 {
extern const ExactBlocks exact_blocks;
}
namespace x86_64_v3 {
extern const ExactBlocks exact_blocks;
}
namespace x86_64_v4 {
extern const ExactBlocks exact_blocks;
}

namespace {
// In the order of instruction_sets.
const ExactBlocks* const all[] = {&x86_64_v2::exact_blocks, &x86_64_v3::exact_blocks,
                                  &x86_64_v4::exact_blocks};
}  // namespace
#else
namespace baseline {
extern const ExactBlocks exact_blocks;
}

namespace {
const ExactBlocks* const all[] = {&baseline::exact_blocks};
}  // namespace
#endif

const ExactBlocks& current_exact_blocks() { return *all[&current_instruction_set() - instruction_sets]; }

}  // namespace samesum
