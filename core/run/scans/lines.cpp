#include "run/scans/lines.hpp"

#include <algorithm>

#include "run/layouts/tangled.hpp"

namespace samesum {

void scan_line(ScanCall& call, const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
               const Carry* totals) {
    alignas(64) char gathered[scan_block * 8], results[scan_block * 8];
    std::uint8_t failed[scan_block];
    const ScanPlan& plan = call.plan;
    const ScanMethod& method = call.method;
    const bool direct = call.writes(plan.axis.out);
    const std::int64_t last = std::min(end, plan.written);
    for (std::int64_t i = begin; i < last; i += scan_block) {
        const std::size_t n = static_cast<std::size_t>(std::min(scan_block, last - i));
        const char* x = plan.elements_at(in + i * plan.axis.in, plan.axis.in, n, gathered);
        char* to = out + i * plan.axis.out;
        char* prefixes = direct ? to : results;
        const bool is_of_use = call.combine != Combine::product || i + scan_block < last;
        const Carry part = totals      ? totals[(i - begin) / scan_block]
                           : is_of_use ? method.total(x, n)
                                       : method.identity;
        if (method.row(carry, part, x, n, plan.format, prefixes, failed) > 0)
            call.add_failures(in, out, i, failed, static_cast<std::int64_t>(n));
        if (!direct) call.put(results, n, to, plan.axis.out);
        method.join(carry, part);
    }
}

Carry line_total(const ScanCall& call, const char* in, std::int64_t begin, std::int64_t end, Carry* totals) {
    alignas(64) char gathered[scan_block * 8];
    const ScanPlan& plan = call.plan;
    Carry carry = call.method.identity;
    for (std::int64_t i = begin; i < end; i += scan_block) {
        const std::size_t n = static_cast<std::size_t>(std::min(scan_block, end - i));
        const char* x = plan.elements_at(in + i * plan.axis.in, plan.axis.in, n, gathered);
        const Carry& part = totals[(i - begin) / scan_block] = call.method.total(x, n);
        call.method.join(carry, part);
    }
    return carry;
}

void add_line_totals(const ScanCall& call, const char* in, std::int64_t lines, std::int64_t begin,
                     std::int64_t end, Carry* totals) {
    const ScanPlan& plan = call.plan;
    const std::size_t count = static_cast<std::size_t>(lines);
    const Tangled tangled(size_of(plan.in), count);
    alignas(64) char runs[Tangled::buffer_bytes];
    for (std::int64_t i = begin; i < end; i += static_cast<std::int64_t>(tangled.rows())) {
        const std::size_t n = std::min(tangled.rows(), static_cast<std::size_t>(end - i));
        const std::int64_t front = plan.axis.in < 0 ? i + static_cast<std::int64_t>(n) - 1 : i;
        tangled.untangle(in + front * plan.axis.in, n, runs);
        for (std::size_t k = 0; k < count; ++k)
            call.method.join(totals[k],
                             call.method.total(runs + static_cast<std::ptrdiff_t>(k) * tangled.step(), n));
    }
}

void scan_side_by_side(ScanCall& call, void* tile, const LinePart* parts, std::size_t count, std::int64_t n,
                       std::int64_t lines) {
    const ScanPlan& plan = call.plan;
    const std::int64_t in = plan.axis.in, to = plan.axis.out, block = elements_side_by_side / lines;
    const bool direct = call.writes(to / lines);
    constexpr std::size_t pitch = elements_side_by_side * 8 + 64;
    alignas(64) char elements[scan_lines * pitch], results[scan_lines * pitch];
    std::uint8_t failed[scan_lines * elements_side_by_side];
    const char* x[scan_lines];
    char* out[scan_lines];
    for (std::int64_t i = 0; i < n; i += block) {
        const std::int64_t rows = std::min(n - i, block);
        const std::size_t now = static_cast<std::size_t>(rows * lines);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = plan.elements_at(parts[k].in + (parts[k].begin + i) * in, in / lines, now,
                                    elements + k * pitch, block * in);
            out[k] = direct ? parts[k].out + (parts[k].begin + i) * to : results + k * pitch;
        }
        // Of parts of one line only the first can be at its front.
        const std::size_t depth = static_cast<std::size_t>(parts[count - 1].begin + i);
        const ScanLines some{x, out, count, static_cast<std::size_t>(lines), now, depth, plan.format, failed};
        const bool has_failures = call.method.lines(tile, some) > 0;
        for (std::size_t k = 0; k < count; ++k) {
            const LinePart& part = parts[k];
            for (std::int64_t c = 0; has_failures && c < lines; ++c)
                call.add_failures(part.in + c * plan.inner.in, part.out + c * plan.inner.out, part.begin + i,
                                  failed + static_cast<std::int64_t>(k * now) + c, rows, lines);
            if (!direct) call.put(out[k], now, part.out + (part.begin + i) * to, to / lines);
        }
    }
}

}  // namespace samesum
