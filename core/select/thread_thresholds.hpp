// From how much work on a call uses threads, and from how much on it releases the interpreter's lock. The
// rule is one: a call that may use more than one thread has released the lock before, so that no thread ever
// waits for a helper while others wait for the lock.
#pragma once

#include <algorithm>

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

SAMESUM_THRESHOLD(unlocked_bytes, 64 << 10, "bytes of the input or the result, whichever are more", "from here on the interpreter's lock is released: work on less ends before another thread is scheduled")

// Each element of a normalization or of an element-wise function counts as this many bytes, whatever its
// format: the function takes the time.
constexpr std::int64_t normalized_element_bytes = 8, elementwise_element_bytes = 8;
// What the bytes of a reduction are multiplied by at most: those of sums of exponentials.
constexpr std::int64_t most_work = 4;

SAMESUM_THRESHOLD(threaded_bytes, 384 << 10, "bytes of the input times their work", "reductions of less run on one thread")
SAMESUM_THRESHOLD(brief_bytes, 3 << 19, "bytes of the input times their work", "reductions of less run on one thread where another one has to be woken first")
SAMESUM_THRESHOLD(zeroed_bytes, 256 << 10, "bytes of results", "results that are all zero are written in tasks of this many")

SAMESUM_THRESHOLD(scan_threaded_bytes, 128 << 10, "bytes of the input", "scans of less along lines run on one thread")
SAMESUM_THRESHOLD(scan_threaded_columns_bytes, 512 << 10, "bytes of the input", "scans of less down columns run on one thread: columns of the same rows share pages, and the first writer of a page makes the others wait")
SAMESUM_THRESHOLD(scan_brief_bytes, 512 << 10, "bytes of the input", "scans of less run on one thread where another one has to be woken first")

SAMESUM_THRESHOLD(normalization_threaded_elements, 8 << 10, "elements", "normalizations of fewer run on one thread")
SAMESUM_THRESHOLD(normalization_brief_elements, 128 << 10, "elements", "normalizations of fewer run on one thread where another one has to be woken first")
SAMESUM_THRESHOLD(long_line_threaded_bytes, 128 << 10, "bytes of the lines that are taken together", "long lines of less are normalized by one thread: they are read several times, with a wait after each")

SAMESUM_THRESHOLD(elementwise_threaded_elements, 8 << 10, "elements", "functions of fewer elements run on one thread")
SAMESUM_THRESHOLD(elementwise_brief_elements, 64 << 10, "elements", "functions of fewer elements run on one thread where another one has to be woken first")

// The lock is released whenever threads may be used.
static_assert(threaded_bytes / most_work >= unlocked_bytes);
static_assert(zeroed_bytes >= unlocked_bytes);
static_assert(std::min<std::int64_t>(scan_threaded_bytes, scan_threaded_columns_bytes) >= unlocked_bytes);
static_assert(normalization_threaded_elements * normalized_element_bytes >= unlocked_bytes);
static_assert(elementwise_threaded_elements * elementwise_element_bytes >= unlocked_bytes);
static_assert(long_line_threaded_bytes >= unlocked_bytes);

// The pool.
SAMESUM_THRESHOLD(idle_microseconds, 100, "microseconds", "an idle helper looks for work for so long before it sleeps")
SAMESUM_THRESHOLD(worth_waking_microseconds, 60, "microseconds of work that is left", "brief work wakes sleeping helpers for more: to wake one costs the caller 12 to 25, and it comes after 50 to 70")
SAMESUM_THRESHOLD(quick_calls, 2, "calls in a row by one thread", "the next one wakes helpers at once")
SAMESUM_THRESHOLD(sent_helpers, 8, "helpers", "up to so many are sent to other processors, two system calls each")
SAMESUM_THRESHOLD(interruption_milliseconds, 20, "milliseconds", "a call asks so often whether it is to be interrupted")
SAMESUM_THRESHOLD(looks_between_clocks, 64, "looks for work", "so many between two looks at the clock")
SAMESUM_THRESHOLD(carry_yields, 200, "looks", "a chunk of a long line that waits for the carry of the one before yields so often, then it sleeps")
SAMESUM_THRESHOLD(carry_rest_microseconds, 100, "microseconds", "each of its sleeps")

// clang-format on
}  // namespace samesum
