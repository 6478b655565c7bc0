// From how much work on a call uses threads, and from how much on it releases the interpreter's lock. The
// rule is one: a call that may use more than one thread has released the lock before, so that no thread ever
// waits for a helper while others wait for the lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace samesum {

// Bytes of the input or of the result, whichever are more. Work on less is over before another Python thread
// could be scheduled, and releasing the lock would take a tenth of its time.
constexpr std::int64_t unlocked_bytes = 64 << 10;
// Each element of a normalization counts as so many bytes, whatever its format: its exponential is what takes
// time.
constexpr std::int64_t normalized_element_bytes = 8;

// Reductions: bytes of the input, times the work on them, below which one thread is faster than waking
// another, and below which it is if another has to be woken first.
constexpr std::int64_t threaded_bytes = 384 << 10, brief_bytes = 3 << 19;
// What the bytes of a reduction are multiplied by at most: those of sums of exponentials.
constexpr std::int64_t most_work = 4;
// Bytes of results that a task sets to zero.
constexpr std::int64_t zeroed_bytes = 256 << 10;

// Scans: the same in bytes of the input. Threads that write columns of the same rows share pages, which the
// first of them has to wait for.
constexpr std::int64_t scan_threaded_bytes = 128 << 10, scan_threaded_columns_bytes = 512 << 10;
constexpr std::int64_t scan_brief_bytes = 512 << 10;

// Normalizations: elements. Long lines are read several times, with a wait after each.
constexpr std::int64_t normalization_threaded_elements = 8 << 10, normalization_brief_elements = 128 << 10;
constexpr std::int64_t long_line_threaded_bytes = 128 << 10;

// Functions of each element: elements, each of which counts as so many bytes too. A vector of them takes
// longer than to read it.
constexpr std::int64_t elementwise_element_bytes = 8;
constexpr std::int64_t elementwise_threaded_elements = 8 << 10, elementwise_brief_elements = 64 << 10;

// The lock is released whenever threads may be used.
static_assert(threaded_bytes / most_work >= unlocked_bytes);
static_assert(zeroed_bytes >= unlocked_bytes);
static_assert(std::min(scan_threaded_bytes, scan_threaded_columns_bytes) >= unlocked_bytes);
static_assert(normalization_threaded_elements * normalized_element_bytes >= unlocked_bytes);
static_assert(elementwise_threaded_elements * elementwise_element_bytes >= unlocked_bytes);
static_assert(long_line_threaded_bytes >= unlocked_bytes);

}  // namespace samesum
