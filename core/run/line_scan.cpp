#include "run/line_scan.hpp"

#include <algorithm>

#include "layout/stream.hpp"

namespace samesum {

namespace {

// Elements of each line in one call: their results stay in the cache until they are written.
constexpr std::size_t together = 256;
static_assert(together <= scan_elements);

}  // namespace

bool LineScan::is_quick() const {
    const std::int64_t size = static_cast<std::int64_t>(size_of(plan_.in)),
                       out_size = static_cast<std::int64_t>(size_of(plan_.format));
    return method_.is_quick(plan_.format) && !plan_.swapped && plan_.axis.in == size &&
           plan_.axis.out == out_size;
}

void LineScan::add_failures(const LinePart& part, const std::uint8_t* failed, std::int64_t i, std::size_t n) {
    const std::uint8_t* first = std::find(failed, failed + n, 1);
    if (first == failed + n) return;
    std::size_t last = n;
    while (!failed[last - 1]) --last;
    const std::int64_t from = part.begin + i;
    failures_.add({part.in, part.out, from + (first - failed), from + static_cast<std::int64_t>(last)});
}

void LineScan::scan(void* tile, const LinePart* parts, std::size_t count, std::int64_t n) {
    const std::size_t size = size_of(plan_.in), out_size = size_of(plan_.format);
    constexpr std::size_t pitch = together * 8 + 64;
    alignas(64) char results[scan_lines * pitch];
    std::uint8_t failed[scan_lines * together];
    const char* x[scan_lines];
    char *out[scan_lines], *to[scan_lines];
    for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(together)) {
        const std::size_t now =
            static_cast<std::size_t>(std::min(n - i, static_cast<std::int64_t>(together)));
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t at = static_cast<std::size_t>(parts[k].begin + i);
            x[k] = parts[k].in + at * size;
            to[k] = parts[k].out + at * out_size;
            out[k] = streams_ ? results + k * pitch : to[k];
        }
        // Of parts of one line only the first can be at its front.
        const std::size_t depth = static_cast<std::size_t>(parts[count - 1].begin + i);
        if (method_.lines(tile, {x, out, count, now, depth, plan_.format, failed}) > 0) {
            for (std::size_t k = 0; k < count; ++k) add_failures(parts[k], failed + k * now, i, now);
        }
        for (std::size_t k = 0; k < count && streams_; ++k) stream(to[k], out[k], now * out_size);
    }
}

}  // namespace samesum
