#include "run/statistics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <mutex>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "kernels/instruction_set.hpp"
#include "run/states/kept_states.hpp"
#include "run/tiles.hpp"
#include "select/reduction_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t slice = statistics_slice;
static_assert(slice % static_cast<std::int64_t>(statistics_elements) == 0);

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
    for_each_task(static_cast<std::size_t>(groups * slices), threads_for(bytes, threaded_bytes), task);
}

constexpr std::int64_t longest_part = std::int64_t{1} << 30;  // counts of 32 bits suffice
constexpr std::size_t tables = 4;  // an increment does not wait for the one before of the same value

// work(begin, end) of a part for each thread.
template <class Work>
void for_each_part(std::int64_t n, std::int64_t bytes, const Work& work) {
    const int threads = threads_for(bytes, threaded_bytes);
    for_each_batch(n, std::clamp<std::int64_t>((n + threads - 1) / threads, 1, longest_part), threads,
                   [&](std::int64_t begin, std::int64_t some) { work(begin, begin + some); });
}

// The bins of some elements, `bins.size` for those that lie in none; the number of those that are not finite.
// A product may underflow: the number of a bin is right if its beginning is not above the element.
template <class T, std::size_t count>
std::int64_t places_of(const T* x, std::size_t n, const Bins& bins, std::array<std::int32_t, count>& places) {
    constexpr double far = 0x1p30;
    const double scale = std::ldexp(1.0, -bins.exponent), width = std::ldexp(1.0, bins.exponent);
    const std::int32_t first = static_cast<std::int32_t>(bins.first),
                       size = static_cast<std::int32_t>(bins.size);
    for (std::size_t i = 0; i < n; ++i) {
        const double v = static_cast<double>(x[i]), scaled = v * scale;
        const double low = scaled > -far ? scaled : far, near = low < far ? low : far;
        const double whole = static_cast<double>(static_cast<std::int32_t>(near));
        const double place = whole - (whole * width > v ? 1.0 : 0.0);
        places[i] = static_cast<std::int32_t>(place) - first;
    }
    for (std::size_t i = 0; i < n; ++i)
        places[i] =
            static_cast<std::uint32_t>(places[i]) < static_cast<std::uint32_t>(size) ? places[i] : size;
    std::int32_t others = 0;
    for (std::size_t i = 0; i < n; ++i) others += x[i] - x[i] == 0 ? 0 : 1;
    return others;
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

void SetStatistics::take(const char* x, std::size_t n, Format format, void* tile) {
    alignas(64) char finite[statistics_elements * sizeof(double)];
    BlockStatistics found;
    current_instruction_set().statistics->of[static_cast<std::size_t>(format)](x, n, finite, found);
    const std::int64_t added[] = {found.nans, found.positive_infinities, found.negative_infinities,
                                  found.zeros, found.subnormals};
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += added[i];
    least = std::min(least, found.least);
    greatest = std::max(greatest, found.greatest);
    smallest = std::min(smallest, found.smallest);
    for (std::size_t map = 0; map < sums.size(); ++map)
        kept_method(format, static_cast<Map>(map)).lanes(tile, map, finite, n, 0, 1);
}

void SetStatistics::merge(const SetStatistics& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    smallest = std::min(smallest, other.smallest);
    for (std::size_t map = 0; map < sums.size(); ++map) sums[map].merge(other.sums[map]);
}

void SetStatistics::take_all(const char* x, std::int64_t n, Format format) {
    constexpr std::int64_t block = static_cast<std::int64_t>(statistics_elements);
    const TileScope scope;
    KeptTile& tile = KeptTile::of(scope.tile());
    Overflow overflow(sums.size());
    tile.overflow = &overflow;
    tile.init(sums.size());
    for (std::int64_t i = 0; i < n; i += block)
        take(x + i * static_cast<std::int64_t>(size_of(format)),
             static_cast<std::size_t>(std::min(block, n - i)), format, &tile);
    for (std::size_t map = 0; map < sums.size(); ++map) tile.give_to(sums[map], map);
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
    for (const SetStatistics& set : sets_) set.sums[map].encode(true, bytes);
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

void count_words(const std::uint16_t* x, std::int64_t n, std::int64_t* counts) {
    std::mutex joining;
    for_each_part(n, 2 * n, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint32_t> table(1 << 16);
        for (std::int64_t i = begin; i < end; ++i) ++table[x[i]];
        const std::lock_guard lock(joining);
        for (std::size_t k = 0; k < table.size(); ++k) counts[k] += table[k];
    });
}

template <class T>
std::int64_t count_bins(const T* x, std::int64_t n, const Bins& bins, std::int64_t* counts) {
    std::mutex joining;
    std::int64_t outside = 0;
    for_each_part(n, n * static_cast<std::int64_t>(sizeof(T)), [&](std::int64_t begin, std::int64_t end) {
        const std::size_t size = static_cast<std::size_t>(bins.size) + 1;
        std::vector<std::uint32_t> table(tables * size);
        std::array<std::int32_t, 1024> places;
        std::int64_t others = 0;
        for (std::int64_t i = begin; i < end; i += std::ssize(places)) {
            const std::size_t count = static_cast<std::size_t>(std::min(std::ssize(places), end - i));
            others += places_of(x + i, count, bins, places);
            for (std::size_t k = 0; k < count; ++k)
                ++table[k % tables * size + static_cast<std::size_t>(places[k])];
        }
        const std::lock_guard lock(joining);
        for (std::size_t k = 0; k < size; ++k) {
            std::int64_t total = 0;
            for (std::size_t t = 0; t < tables; ++t) total += table[t * size + k];
            if (k + 1 < size)
                counts[k] += total;
            else
                outside += total - others;
        }
    });
    return outside;
}

template std::int64_t count_bins(const float*, std::int64_t, const Bins&, std::int64_t*);
template std::int64_t count_bins(const double*, std::int64_t, const Bins&, std::int64_t*);

}  // namespace samesum
