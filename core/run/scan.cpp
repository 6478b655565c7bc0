#include "run/scan.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "exact/wide_scan.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/stream.hpp"
#include "run/accumulate.hpp"
#include "run/line_scan.hpp"
#include "run/reduce.hpp"
#include "run/repair.hpp"
#include "run/scan_columns.hpp"
#include "run/short_scan.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t threaded_bytes = 128 << 10;
// Threads that write columns of the same rows share pages, which the first of them has to wait for.
constexpr std::int64_t threaded_columns_bytes = 512 << 10;
// Elements of a long row that one thread takes at a time: they stay in its cache between the two passes over
// them, and their parts side by side are no multiple of 4096 bytes long, which would share their places in
// it.
constexpr std::int64_t block = static_cast<std::int64_t>(scan_elements), chunk_blocks = 56,
                       chunk_elements = chunk_blocks * block;
// Lines side by side.
constexpr std::int64_t group_lines = static_cast<std::int64_t>(scan_lines);

const ScanMethod& choose_method(Combine combine, Format in, Format out) {
    const bool sum = combine == Combine::sum;
    const ScanMethods& scans = *current_instruction_set().scans;
    const ProductMethods& products = *current_instruction_set().products;
    if (is_float(in)) return (sum ? scans.real : products.scan_real)[static_cast<std::size_t>(in)];
    if (is_float(out)) return sum ? wide_scan_method(in) : deferred_scan_method();
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    return (sum ? scans.modular : products.scan_modular)[index][size_of(out) > size_of(in)];
}

class Job {
  public:
    Job(Combine combine, const ScanPlan& plan)
        : combine_(combine),
          plan_(plan),
          method_(choose_method(combine, plan.in, plan.format)),
          target_(combine, plan),
          side_by_side_(plan, method_, target_.streams(), failures_) {}

    void run() {
        const std::int64_t bytes =
            plan_.lines.count() * (plan_.columns ? plan_.inner.size : 1) * plan_.axis.size * item();
        const int threads =
            bytes >= (plan_.columns ? threaded_columns_bytes : threaded_bytes) ? thread_count() : 1;
        if (lines_are_short(plan_))
            scan_short_lines(plan_, method_, target_.initial(), failures_, threads);
        else if (plan_.columns)
            scan_columns(plan_, method_, target_, failures_, threads);
        else if (lines_side_by_side())
            scan_groups(threads);
        else if (lines_are_long(threads))
            scan_long_lines(threads);
        else
            scan_single_lines(threads);
        repair(combine_, plan_, failures_, threads);
    }

  private:
    std::int64_t item() const { return static_cast<std::int64_t>(size_of(plan_.in)); }
    std::size_t out_size() const { return size_of(plan_.format); }

    // Contiguous native elements, gathered into `buffer` if they do not lie so.
    const char* elements(const char* p, std::int64_t n, char* buffer) const {
        if (plan_.axis.in == item() && !plan_.swapped) return p;
        gather(p, plan_.axis.in, static_cast<std::size_t>(n), size_of(plan_.in), plan_.swapped, buffer);
        return buffer;
    }

    // Elements [begin, end) of a line, after `carry`. Their totals block by block, if they are known.
    void scan_run(const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
                  const Carry* totals) {
        alignas(64) char gathered[scan_elements * 8], results[scan_elements * 8];
        std::uint8_t failed[scan_elements];
        const bool direct = plan_.axis.out == static_cast<std::int64_t>(out_size()) && !target_.streams();
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

    bool lines_side_by_side() const {
        constexpr std::int64_t few = 24;  // elements
        return plan_.lines.count() >= group_lines && plan_.written >= few && side_by_side_.is_quick();
    }

    // Lines too few for the threads, or so long that a carry joined block by block would lose its certainty.
    bool lines_are_long(int threads) const {
        constexpr std::int64_t many_chunks = 16;
        if (plan_.written >= many_chunks * chunk_elements) return true;
        return threads > 1 ? plan_.lines.count() < 2 * threads
                           : takes_parts() && plan_.written >= chunk_elements;
    }

    // Whether parts of a line are scanned side by side.
    bool takes_parts() const { return method_.takes_parts && side_by_side_.is_quick(); }

    void scan_groups(int threads) {
        const std::int64_t lines = plan_.lines.count(), groups = (lines + group_lines - 1) / group_lines;
        const std::int64_t batch =
            std::max<std::int64_t>(1, chunk_elements / (group_lines * plan_.axis.size));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch * group_lines;
            const std::int64_t last = std::min(lines, first + batch * group_lines);
            Walk walk(plan_.lines, first);
            TileScope scope;
            for (std::int64_t line = first; line < last; line += group_lines) {
                LinePart parts[scan_lines];
                const std::size_t count = static_cast<std::size_t>(std::min(last - line, group_lines));
                for (std::size_t k = 0; k < count; ++k, walk.next()) {
                    parts[k] = {plan_.data + walk.in(), plan_.out + walk.out(), 0};
                    target_.write_initial(parts[k].out, 1);
                }
                method_.init(scope.tile(), scan_lines);
                side_by_side_.scan(scope.tile(), parts, count, plan_.written);
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((groups + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

    void scan_single_lines(int threads) {
        const std::int64_t lines = plan_.lines.count();
        const std::int64_t batch =
            std::max<std::int64_t>(1, chunk_elements / std::max<std::int64_t>(1, plan_.axis.size));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            Walk walk(plan_.lines, first);
            for (std::int64_t line = first; line < std::min(lines, first + batch); ++line, walk.next()) {
                target_.write_initial(plan_.out + walk.out(), 1);
                scan_run(plan_.data + walk.in(), plan_.out + walk.out(), 0, plan_.axis.size, method_.identity,
                         nullptr);
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((lines + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

    // A line at a time; its chunks are handed out in order, and each waits for the carry of the one before.
    void scan_long_lines(int threads) {
        const std::int64_t n = plan_.axis.size, chunks = (n + chunk_elements - 1) / chunk_elements;
        Walk walk(plan_.lines, 0);
        for (std::int64_t line = 0; line < plan_.lines.count(); ++line, walk.next()) {
            const char* in = plan_.data + walk.in();
            char* out = plan_.out + walk.out();
            target_.write_initial(out, 1);
            std::vector<Carry> carries(static_cast<std::size_t>(chunks) + 1, method_.identity);
            std::atomic<std::size_t> ready{0};
            auto task = [&](std::size_t t, std::size_t) {
                const std::int64_t begin = static_cast<std::int64_t>(t) * chunk_elements;
                const std::int64_t end = std::min(n, begin + chunk_elements);
                Carry totals[chunk_blocks];
                const Carry part = total(in, begin, end, totals);
                while (ready.load(std::memory_order_acquire) != t) std::this_thread::yield();
                carries[t + 1] = carries[t];
                method_.join(carries[t + 1], part);
                ready.store(t + 1, std::memory_order_release);
                if (end - begin == chunk_elements && end <= plan_.written && takes_parts())
                    scan_parts(in, out, begin, carries[t], totals);
                else
                    scan_run(in, out, begin, end, carries[t], totals);
                finish_streams();
            };
            for_each_task(static_cast<std::size_t>(chunks), static_cast<std::size_t>(threads), task);
        }
    }

    // A whole chunk after `carry`, part beside part.
    void scan_parts(const char* in, char* out, std::int64_t begin, Carry carry, const Carry* totals) {
        constexpr std::int64_t part_blocks = chunk_blocks / group_lines;
        TileScope scope;
        Carry carries[scan_lines];
        LinePart parts[scan_lines];
        for (std::int64_t k = 0; k < group_lines; ++k) {
            carries[k] = carry;
            parts[k] = {in, out, begin + k * part_blocks * block};
            for (std::int64_t i = 0; i < part_blocks; ++i) method_.join(carry, *totals++);
        }
        method_.start(scope.tile(), carries, scan_lines);
        side_by_side_.scan(scope.tile(), parts, scan_lines, part_blocks * block);
    }

    // The total of a chunk, and the totals of its blocks.
    Carry total(const char* in, std::int64_t begin, std::int64_t end, Carry* totals) const {
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

    const Combine combine_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget target_;
    Failures failures_;
    LineScan side_by_side_;
};

}  // namespace

void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out) {
    const FloatingPointScope scope;
    const ScanPlan plan = plan_scan(x, axis, options, format, out);
    counters.scan_lines += static_cast<std::uint64_t>(plan.lines.count());
    Job(combine, plan).run();
}

}  // namespace samesum
