// How dot products and cumulative sums of exponentials are shared out and brought to their methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

// Dot products.
inline constexpr Threshold dot_least_lane{"dot_least_lane", 16, "elements of a vector",
                                          "shorter vectors are columns where both ways copy as much"};
inline constexpr Threshold dot_folded_columns{"dot_folded_columns", 32, "vectors side by side",
                                              "rows of fewer are taken several as one"};
inline constexpr Threshold dot_fold_columns{"dot_fold_columns", 64, "columns",
                                            "so wide become rows that are taken as one"};
inline constexpr Threshold dot_copied_bytes{"dot_copied_bytes", 64 << 10, "bytes of an operand",
                                            "so many are copied at a time"};
inline constexpr Threshold dot_task_bytes{"dot_task_bytes", 256 << 10, "bytes of an operand",
                                          "a task takes so many"};
inline constexpr Threshold dot_row{"dot_row", 1024, "vectors side by side",
                                   "a task takes so many of a row, however long they are"};
inline constexpr Threshold dot_short_row{"dot_short_row", 64, "vectors side by side",
                                         "shorter rows are not shared out"};
inline constexpr Threshold dot_part_elements{"dot_part_elements", 16 << 10, "elements of a vector",
                                             "shorter parts are no task of their own"};
inline constexpr Threshold dot_part_rows{"dot_part_rows", 64, "rows", "fewer are no task of their own"};

// Cumulative logarithms of sums of exponentials.
inline constexpr Threshold exponential_columns{
    "exponential_columns", 64, "lines side by side",
    "fewer are not shared out, and cut into parts where they are long"};
inline constexpr Threshold exponential_tile{"exponential_tile", 512, "lines side by side",
                                            "so many are scanned together"};
inline constexpr Threshold exponential_long_line{"exponential_long_line", 256, "elements of a line",
                                                 "few shorter lines are not cut into parts"};
inline constexpr Threshold exponential_part{"exponential_part", 8, "elements of a line",
                                            "parts of a line are no shorter"};
inline constexpr Threshold exponential_doubtful{"exponential_doubtful", 64, "prefixes in doubt",
                                                "more are not decided one by one in double-words"};
inline constexpr Threshold exponential_parts{"exponential_parts", 1024, "parts of a line",
                                             "a long line is cut into so many"};

}  // namespace samesum
