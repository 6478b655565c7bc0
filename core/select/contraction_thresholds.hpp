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

inline constexpr Threshold contraction_measured_share{
    "contraction_measured_share", 4, "results in doubt",
    "where so many are more than rows and columns of a tile together, all of these are measured first"};
inline constexpr Threshold contraction_twice_share{
    "contraction_twice_share", 8, "results in doubt",
    "where so many times them are more than a tile has, all of it is multiplied again in two words"};

inline constexpr Threshold contraction_few_rows{"contraction_few_rows", 4, "rows",
                                                "up to so many take columns as they lie"};
inline constexpr Threshold contraction_least_run{
    "contraction_least_run", 4, "columns, or terms, side by side",
    "few rows take columns as they lie where so many are neighbours"};

}  // namespace samesum
