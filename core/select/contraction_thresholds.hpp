// How products are shared out.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

inline constexpr Threshold contraction_threaded{"contraction_threaded", 256 << 10, "multiplications",
                                                "products of fewer run on one thread"};
inline constexpr Threshold contraction_brief{
    "contraction_brief", 1 << 20, "multiplications",
    "products of fewer run on one thread where another one has to be woken first"};
inline constexpr Threshold contraction_packed_bytes{"contraction_packed_bytes", 8 << 20, "bytes of columns",
                                                    "so many are packed before they are multiplied"};

}  // namespace samesum
