#include "select/threshold.hpp"

#if defined(SAMESUM_TUNING)

#include <cstring>

namespace samesum {

Tuned tuned;

std::int64_t tuned_value(const Threshold& threshold) {
    const bool is_tuned = tuned.name != nullptr && std::strcmp(tuned.name, threshold.name) == 0;
    return is_tuned ? tuned.value : threshold.value;
}

}  // namespace samesum

#endif
