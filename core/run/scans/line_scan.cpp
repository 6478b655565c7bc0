#include "run/scans/line_scan.hpp"

#include <algorithm>

#include "layout/copy.hpp"

namespace samesum {

void LineScan::add_failures(const LinePart& part, const std::uint8_t* failed, std::int64_t i, std::int64_t n,
                            std::int64_t lines) {
    for (std::int64_t k = 0; k < lines; ++k) {
        std::int64_t first = 0, last = n;
        while (first < n && !failed[first * lines + k]) ++first;
        if (first == n) continue;
        while (!failed[(last - 1) * lines + k]) --last;
        const std::int64_t from = part.begin + i;
        failures_.add(
            {part.in + k * plan_.inner.in, part.out + k * plan_.inner.out, from + first, from + last});
    }
}

void LineScan::scan(void* tile, const LinePart* parts, std::size_t count, std::int64_t n,
                    std::int64_t lines) {
    const std::int64_t in = plan_.axis.in, to = plan_.axis.out, block = together / lines;
    const std::size_t size = size_of(plan_.in), out_size = size_of(plan_.format);
    const bool gathers = in != lines * static_cast<std::int64_t>(size) || plan_.swapped;
    const bool direct = to == lines * static_cast<std::int64_t>(out_size) && !target_.streams();
    constexpr std::size_t pitch = together * 8 + 64;
    alignas(64) char elements[scan_lines * pitch], results[scan_lines * pitch];
    std::uint8_t failed[scan_lines * together];
    const char* x[scan_lines];
    char* out[scan_lines];
    for (std::int64_t i = 0; i < n; i += block) {
        const std::int64_t rows = std::min(n - i, block);
        const std::size_t now = static_cast<std::size_t>(rows * lines);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = parts[k].in + (parts[k].begin + i) * in;
            out[k] = direct ? parts[k].out + (parts[k].begin + i) * to : results + k * pitch;
            if (!gathers) continue;
            gather(x[k], in, now, size, plan_.swapped, elements + k * pitch, block * in);
            x[k] = elements + k * pitch;
        }
        // Of parts of one line only the first can be at its front.
        const std::size_t depth = static_cast<std::size_t>(parts[count - 1].begin + i);
        const ScanLines some{x,   out,   count,        static_cast<std::size_t>(lines),
                             now, depth, plan_.format, failed};
        if (method_.lines(tile, some) > 0) {
            for (std::size_t k = 0; k < count; ++k) add_failures(parts[k], failed + k * now, i, rows, lines);
        }
        for (std::size_t k = 0; k < count && !direct; ++k)
            target_.put(out[k], now, parts[k].out + (parts[k].begin + i) * to, to);
    }
}

}  // namespace samesum
