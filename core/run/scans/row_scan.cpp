#include "run/scans/row_scan.hpp"

#include <algorithm>

#include "layout/copy.hpp"
#include "run/layouts/tangled.hpp"

namespace samesum {

const char* RowScan::elements(const char* p, std::int64_t n, char* buffer) const {
    const std::size_t size = size_of(plan_.in);
    if (plan_.axis.in == static_cast<std::int64_t>(size) && !plan_.swapped) return p;
    gather(p, plan_.axis.in, static_cast<std::size_t>(n), size, plan_.swapped, buffer);
    return buffer;
}

void RowScan::scan(const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
                   const Carry* totals) const {
    alignas(64) char gathered[scan_elements * 8], results[scan_elements * 8];
    std::uint8_t failed[scan_elements];
    const std::int64_t out_size = static_cast<std::int64_t>(size_of(plan_.format));
    const bool direct = plan_.axis.out == out_size && !target_.streams();
    for (std::int64_t i = begin; i < std::min(end, plan_.written); i += block) {
        const std::int64_t wanted = std::min({block, end - i, plan_.written - i});
        const std::size_t n = static_cast<std::size_t>(wanted);
        const char* x = elements(in + i * plan_.axis.in, wanted, gathered);
        char* to = out + i * plan_.axis.out;
        char* prefixes = direct ? to : results;
        const bool is_last = i + block >= std::min(end, plan_.written);
        const Carry part = totals                                    ? totals[(i - begin) / block]
                           : is_last && combine_ == Combine::product ? method_.identity  // of no use
                                                                     : method_.total(x, n);
        if (method_.row(carry, part, x, n, plan_.format, prefixes, failed) > 0) {
            const std::int64_t first = std::find(failed, failed + n, 1) - failed;
            std::int64_t last = wanted;
            while (!failed[last - 1]) --last;
            failures_.add({in, out, i + first, i + last});
        }
        if (!direct) target_.put(results, n, to, plan_.axis.out);
        method_.join(carry, part);
    }
}

Carry RowScan::total(const char* in, std::int64_t begin, std::int64_t end, Carry* totals) const {
    alignas(64) char gathered[scan_elements * 8];
    Carry carry = method_.identity;
    for (std::int64_t i = begin; i < end; i += block) {
        const std::int64_t n = std::min(block, end - i);
        const char* x = elements(in + i * plan_.axis.in, n, gathered);
        const Carry& part = totals[(i - begin) / block] = method_.total(x, static_cast<std::size_t>(n));
        method_.join(carry, part);
    }
    return carry;
}

void RowScan::add_totals(const char* in, std::int64_t lines, std::int64_t begin, std::int64_t end,
                         Carry* totals) const {
    const std::size_t size = size_of(plan_.in), count = static_cast<std::size_t>(lines);
    const Tangled tangled(size, count);
    alignas(64) char runs[Tangled::buffer_bytes];
    for (std::int64_t i = begin; i < end; i += static_cast<std::int64_t>(tangled.rows())) {
        const std::size_t n = std::min(tangled.rows(), static_cast<std::size_t>(end - i));
        const std::int64_t front = plan_.axis.in < 0 ? i + static_cast<std::int64_t>(n) - 1 : i;
        tangled.untangle(in + front * plan_.axis.in, n, runs);
        for (std::size_t k = 0; k < count; ++k)
            method_.join(totals[k], method_.total(runs + static_cast<std::ptrdiff_t>(k) * tangled.step(), n));
    }
}

}  // namespace samesum
