#include "run/counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t longest_part = std::int64_t{1} << 30;  // counts of 32 bits suffice
constexpr std::size_t tables = 4;  // an increment does not wait for the one before of the same value

// work(begin, end) of a part for each thread.
template <class Work>
void for_each_part(std::int64_t n, std::int64_t bytes, const Work& work) {
    const std::int64_t threads = bytes < threaded_bytes ? 1 : thread_count(),
                       part = std::clamp<std::int64_t>((n + threads - 1) / threads, 1, longest_part);
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t begin = static_cast<std::int64_t>(t) * part;
        work(begin, std::min(begin + part, n));
    };
    for_each_task(static_cast<std::size_t>((n + part - 1) / part), static_cast<std::size_t>(threads), task);
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

}  // namespace

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
