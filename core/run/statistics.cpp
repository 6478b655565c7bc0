#include "run/statistics.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "exact/elements.hpp"
#include "kernels/instruction_set.hpp"
#include "run/exact/exact_words.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t slice = statistics_slice;
static_assert(slice % static_cast<std::int64_t>(statistics_elements) == 0);

template <Map map>
void add_part_exactly(Superaccumulator& total, const char* x, std::size_t n, Format format) {
    const auto& blocks = current_instruction_set().exact_blocks->total[static_cast<std::size_t>(format)];
    const ExactParts parts = blocks[static_cast<std::size_t>(map)](x, n);
    if (parts.known) {
        for (const double part : parts.part) {
            if (part != 0) add_double(total, part);
        }
        return;
    }
    const auto add = [&]<Format f>() {
        add_elements<f, map>(total, x, static_cast<std::ptrdiff_t>(size_of(f)), n);
    };
    in_float_format(format, add);
}

template <Map map>
void add_exactly(Superaccumulator& total, const char* x, std::size_t n, Format format) {
    for (std::size_t i = 0; i < n; i += exact_elements)
        add_part_exactly<map>(total, x + i * size_of(format), std::min(exact_elements, n - i), format);
}

std::size_t threads_for(std::int64_t bytes) {
    return bytes < threaded_bytes ? 1 : static_cast<std::size_t>(thread_count());
}

// work(first row, one past the last, first element, one past the last, whether the rows are whole)
template <class Work>
void for_each_slice(std::int64_t rows, std::int64_t n, std::int64_t bytes, const Work& work) {
    const std::int64_t slices = (n + slice - 1) / slice;
    const std::int64_t group = slices > 1 ? 1 : std::max<std::int64_t>(1, slice / n),
                       groups = (rows + group - 1) / group;
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t place = static_cast<std::int64_t>(t);
        const std::int64_t row = place / slices * group, begin = place % slices * slice;
        work(row, std::min(row + group, rows), begin, std::min(begin + slice, n), slices == 1);
    };
    for_each_task(static_cast<std::size_t>(groups * slices), threads_for(bytes), task);
}

// False where the file ends before, or cannot be read.
bool read_at(int descriptor, std::int64_t offset, char* to, std::int64_t bytes) {
#if defined(__unix__) || defined(__APPLE__)
    while (bytes > 0) {
        const ssize_t count =
            pread(descriptor, to, static_cast<std::size_t>(bytes), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        to += count;
        offset += count;
        bytes -= count;
    }
    return true;
#else
    return false;
#endif
}

}  // namespace

void SetStatistics::take(const char* x, std::size_t n, Format format) {
    alignas(64) char scratch[statistics_elements * 8];
    BlockStatistics found;
    current_instruction_set().statistics->of[static_cast<std::size_t>(format)](x, n, scratch, found);
    const std::int64_t added[] = {found.nans, found.positive_infinities, found.negative_infinities,
                                  found.zeros, found.subnormals};
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += added[i];
    least = std::min(least, found.least);
    greatest = std::max(greatest, found.greatest);
    smallest = std::min(smallest, found.smallest);
    for (std::size_t map = 0; map < sums.size(); ++map) {
        for (const double part : found.part[map]) {
            if (part != 0) add_double(sums[map], part);
        }
    }
    const bool are_known = found.known[0] && found.known[1] && found.known[2];
    record(are_known ? Route::statistics_on_grids : Route::statistics_exact);
    const char* finite = static_cast<const char*>(found.finite);
    if (!found.known[0]) add_exactly<Map::itself>(sums[0], finite, n, format);
    if (!found.known[1]) add_exactly<Map::magnitude>(sums[1], finite, n, format);
    if (!found.known[2]) add_exactly<Map::square>(sums[2], finite, n, format);
}

void SetStatistics::merge(const SetStatistics& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    smallest = std::min(smallest, other.smallest);
    for (std::size_t map = 0; map < sums.size(); ++map) sums[map].merge(other.sums[map]);
}

void SetStatistics::take_all(const char* x, std::int64_t n, Format format) {
    const std::int64_t block = static_cast<std::int64_t>(statistics_block(format));
    for (std::int64_t i = 0; i < n; i += block)
        take(x + i * static_cast<std::int64_t>(size_of(format)),
             static_cast<std::size_t>(std::min(block, n - i)), format);
}

void Statistics::add(const char* x, std::int64_t n) {
    const FloatingPointScope scope;
    const std::int64_t rows = static_cast<std::int64_t>(sets_.size()),
                       size = static_cast<std::int64_t>(size_of(format_));
    if (rows == 0 || n == 0) return;
    std::mutex joining;
    const auto work = [&](std::int64_t row, std::int64_t last, std::int64_t begin, std::int64_t end,
                          bool is_whole) {
        for (; row < last; ++row) {
            SetStatistics& set = sets_[static_cast<std::size_t>(row)];
            const char* from = x + (row * n + begin) * size;
            if (is_whole) {
                set.take_all(from, end - begin, format_);
                continue;
            }
            SetStatistics part;
            part.take_all(from, end - begin, format_);
            const std::lock_guard lock(joining);
            set.merge(part);
        }
    };
    for_each_slice(rows, n, rows * n * size, work);
}

bool Statistics::add_file(int descriptor, std::int64_t offset, std::int64_t n) {
    const FloatingPointScope scope;
    const std::int64_t size = static_cast<std::int64_t>(size_of(format_));
    if (n == 0) return true;
    std::mutex joining;
    std::atomic<bool> is_read{true};
    const auto work = [&](std::int64_t, std::int64_t, std::int64_t begin, std::int64_t end, bool) {
        // Memory that the thread keeps: pages of a new allocation would have to be cleared each time.
        thread_local std::vector<std::uint64_t> buffer(slice);
        char* const data = reinterpret_cast<char*>(buffer.data());
        if (!read_at(descriptor, offset + begin * size, data, (end - begin) * size)) {
            is_read = false;
            return;
        }
        SetStatistics part;
        part.take_all(data, end - begin, format_);
        const std::lock_guard lock(joining);
        sets_[0].merge(part);
    };
    for_each_slice(1, n, n * size, work);
    return is_read;
}

std::string Statistics::encoded(std::size_t map) const {
    std::string bytes;
    for (const SetStatistics& set : sets_) encode(set.sums[map], bytes);
    return bytes;
}

void count_bytes(const unsigned char* x, std::int64_t rows, std::int64_t n, std::int64_t* counts) {
    if (rows == 0 || n == 0) return;
    std::mutex joining;
    for_each_slice(rows, n, rows * n,
                   [&](std::int64_t row, std::int64_t last, std::int64_t begin, std::int64_t end, bool) {
                       for (; row < last; ++row) {
                           // Several tables: an increment does not wait for the one before of the same value.
                           std::uint32_t table[4][256] = {};
                           const unsigned char* p = x + row * n;
                           std::int64_t i = begin;
                           for (; i + 4 <= end; i += 4) {
                               for (std::int64_t k = 0; k < 4; ++k) ++table[k][p[i + k]];
                           }
                           for (; i < end; ++i) ++table[0][p[i]];
                           const std::lock_guard lock(joining);
                           for (std::int64_t k = 0; k < std::ssize(table[0]); ++k)
                               counts[row * 256 + k] +=
                                   std::int64_t{table[0][k]} + table[1][k] + table[2][k] + table[3][k];
                       }
                   });
}

}  // namespace samesum
