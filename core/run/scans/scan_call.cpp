#include "run/scans/scan_call.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "arithmetic/rounding.hpp"
#include "exact/methods.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

std::uint64_t initial_bits(Combine combine, Format format) {
    if (combine != Combine::product) return 0;
    return is_float(format) ? round_bits(1, format) : 1;
}

bool is_streamed(const ScanPlan& plan) {
    return plan.elements() * plan.result() >= streamed_bytes &&
           (plan.columns ? plan.inner.out : plan.axis.out) == plan.result();
}

// Of elements that are scanned in the format `in`.
const ScanMethod& scan_method(Combine combine, Format in, Format out) {
    if (is_extreme(combine))
        return current_instruction_set()
            .extreme_scans->of[static_cast<std::size_t>(in)][combine == Combine::maximum];
    const bool sum = combine == Combine::sum;
    const ScanMethods& scans = *current_instruction_set().scans;
    const ProductMethods& products = *current_instruction_set().products;
    if (is_float(in)) {
        const std::size_t from = static_cast<std::size_t>(in), to = static_cast<std::size_t>(out);
        return (sum ? scans.real : products.scan_real)[from][to];
    }
    if (is_float(out)) return sum ? wide_scan_method(in) : deferred_scan_method();
    const std::size_t index = static_cast<std::size_t>(in == Format::boolean ? Format::u8 : in) - 4;
    return sum ? scans.modular[index][std::countr_zero(size_of(out))] : products.scan_modular[index];
}

}  // namespace

ScanCall::ScanCall(Combine how, const ScanPlan& where)
    : combine(how),
      plan(where),
      scanned(is_float(where.in) && !is_extreme(how) ? common_format(where.in, where.format) : where.in),
      method(scan_method(how, scanned, where.format)),
      widen(scanned == where.in
                ? nullptr
                : current_instruction_set()
                      .scans->widen[static_cast<std::size_t>(where.in)][scanned == Format::f64 ? 1 : 0]),
      initial(initial_bits(how, where.format)),
      streams(is_streamed(where)) {}

const char* ScanCall::elements_at(const char* p, std::int64_t stride, std::size_t n, char* buffer,
                                  std::int64_t ahead) const {
    if (widen == nullptr) return plan.elements_at(p, stride, n, buffer, ahead);
    alignas(64) char narrow[scan_elements * 4];
    widen(plan.elements_at(p, stride, n, narrow, ahead), n, buffer);
    return buffer;
}

void ScanCall::put(const char* results, std::size_t n, char* to, std::int64_t stride) const {
    const std::size_t size = size_of(plan.format);
    if (streams)
        stream(to, results, n * size);
    else
        scatter(results, n, size, to, stride);
}

void ScanCall::write_initial(char* first_prefix, std::int64_t lines) const {
    if (!plan.has_initial) return;
    char* const p = first_prefix - plan.axis.out;
    for (std::int64_t k = 0; k < lines; ++k)
        store_bits(p + k * plan.inner.out, 0, initial, size_of(plan.format));
}

void ScanCall::add_failures(const char* in, char* out, std::int64_t from, const std::uint8_t* failed,
                            std::int64_t n) {
    std::int64_t first = 0, last = n;
    while (first < n && !failed[first]) ++first;
    if (first == n) return;
    while (!failed[last - 1]) --last;
    failures.add({in, out, from + first, from + last});
}

void scan_line(ScanCall& call, const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
               const Carry* totals) {
    alignas(64) char gathered[scan_block * 8 + 64], results[scan_block * 8];
    std::uint8_t failed[scan_block];
    const ScanPlan& plan = call.plan;
    const ScanMethod& method = call.method;
    const bool direct = call.writes(plan.axis.out);
    const std::int64_t last = std::min(end, plan.written);
    for (std::int64_t i = begin; i < last; i += scan_block) {
        const std::size_t n = static_cast<std::size_t>(std::min(scan_block, last - i));
        const char* x = call.elements_at(in + i * plan.axis.in, plan.axis.in, n, gathered);
        char* to = out + i * plan.axis.out;
        char* prefixes = direct ? to : results;
        // Sums of floats ask for the total of the block in any case.
        const bool is_of_use = (call.combine == Combine::sum && is_float(plan.in)) || i + scan_block < last;
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
    alignas(64) char gathered[scan_block * 8 + 64];
    const ScanPlan& plan = call.plan;
    Carry carry = call.method.identity;
    for (std::int64_t i = begin; i < end; i += scan_block) {
        const std::size_t n = static_cast<std::size_t>(std::min(scan_block, end - i));
        const char* x = call.elements_at(in + i * plan.axis.in, plan.axis.in, n, gathered);
        const Carry& part = totals[(i - begin) / scan_block] = call.method.total(x, n);
        call.method.join(carry, part);
    }
    return carry;
}

void scan_side_by_side(ScanCall& call, void* tile, const LinePart* parts, std::size_t count, std::int64_t n) {
    const ScanPlan& plan = call.plan;
    const std::int64_t in = plan.axis.in, to = plan.axis.out, block = elements_side_by_side;
    const bool direct = call.writes(to);
    constexpr std::size_t pitch = elements_side_by_side * 8 + 64;
    alignas(64) char elements[scan_lines * pitch], results[scan_lines * pitch];
    std::uint8_t failed[scan_lines * elements_side_by_side];
    const char* x[scan_lines];
    char* out[scan_lines];
    for (std::int64_t i = 0; i < n; i += block) {
        const std::int64_t now = std::min(n - i, block);
        const std::size_t some = static_cast<std::size_t>(now);
        for (std::size_t k = 0; k < count; ++k) {
            x[k] = call.elements_at(parts[k].in + (parts[k].begin + i) * in, in, some, elements + k * pitch,
                                    block * in);
            out[k] = direct ? parts[k].out + (parts[k].begin + i) * to : results + k * pitch;
        }
        // Of parts of one line only the first can be at its front.
        const std::size_t depth = static_cast<std::size_t>(parts[count - 1].begin + i);
        const bool has_failures =
            call.method.lines(tile, {x, out, count, some, depth, plan.format, failed}) > 0;
        for (std::size_t k = 0; k < count; ++k) {
            const LinePart& part = parts[k];
            if (has_failures) call.add_failures(part.in, part.out, part.begin + i, failed + k * some, now);
            if (!direct) call.put(out[k], some, part.out + (part.begin + i) * to, to);
        }
    }
}

namespace {

constexpr std::int64_t block = scan_block, parts = static_cast<std::int64_t>(scan_lines);

// Lets others run, and after several times as long as a chunk takes leaves the processor to them.
class BackOff {
  public:
    void wait() {
        if (Clock::now() - begin_ < microseconds(carry_yield_microseconds)) return std::this_thread::yield();
        std::this_thread::sleep_for(rest_);
        rest_ = std::min(2 * rest_, microseconds(carry_longest_rest_microseconds));
    }

  private:
    using Clock = std::chrono::steady_clock;
    static std::chrono::microseconds microseconds(const Threshold& threshold) {
        return std::chrono::microseconds(std::int64_t{threshold});
    }

    const Clock::time_point begin_ = Clock::now();
    std::chrono::microseconds rest_ = microseconds(carry_first_rest_microseconds);
};

}  // namespace

// A line, and the carries before each chunk.
struct LongScan::Line {
    LinePart front;
    std::vector<Carry> carries;
    std::atomic<std::int64_t> ready{0};  // chunks whose carries are known
    std::atomic<bool> given_up{false};   // by a chunk that threw: those after it may never become ready

    // False if they never will be.
    bool await_carries(std::int64_t chunk) const {
        if (ready.load(std::memory_order_acquire) == chunk) return true;
        BackOff others;
        while (ready.load(std::memory_order_acquire) != chunk) {
            if (given_up) return false;
            others.wait();
        }
        return true;
    }
};

LongScan::LongScan(ScanCall& call)
    : call_(call),
      plan_(call.plan),
      method_(call.method),
      part_(std::max<std::int64_t>(1, part_blocks) * block) {}

void LongScan::run(int threads) {
    const std::int64_t shares = lines_per_thread * threads * parts * block;
    const std::int64_t least =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(method_.least_part) / block);
    if (threads > 1) part_ = std::clamp<std::int64_t>(plan_.axis.size / shares, least, part_blocks) * block;
    Walk walk(plan_.lines, 0);
    for (std::int64_t line = 0; line < plan_.lines.count(); ++line, walk.next())
        run_line(plan_.data + walk.in(), plan_.out + walk.out(), threads);
}

void LongScan::run_line(const char* in, char* out, int threads) const {
    record(Route::scan_chunks);
    call_.write_initial(out, 1);
    const std::int64_t size = parts * part_, chunks = (plan_.axis.size + size - 1) / size;
    Line line{{in, out, 0}, std::vector<Carry>(static_cast<std::size_t>(chunks + 1), method_.identity)};
    auto task = [&](std::size_t t, std::size_t) {
        try {
            run_chunk(line, static_cast<std::int64_t>(t));
        } catch (...) {
            line.given_up = true;
            throw;
        }
        finish_streams();
    };
    for_each_task_in_order(static_cast<std::size_t>(chunks), threads, task);
}

void LongScan::run_chunk(Line& line, std::int64_t chunk) const {
    const std::int64_t size = parts * part_, begin = chunk * size,
                       end = std::min(plan_.axis.size, begin + size);
    Carry totals[chunk_blocks];
    const Carry all = line_total(call_, line.front.in, begin, end, totals);
    if (!line.await_carries(chunk)) return;
    const Carry& before = line.carries[static_cast<std::size_t>(chunk)];
    Carry& after = line.carries[static_cast<std::size_t>(chunk + 1)];
    after = before;
    method_.join(after, all);
    line.ready.store(chunk + 1, std::memory_order_release);
    scan_chunk(line, begin, end, before, totals);
}

// After this carry, and with the totals of the blocks.
void LongScan::scan_chunk(const Line& line, std::int64_t begin, std::int64_t end, Carry carry,
                          const Carry* totals) const {
    std::int64_t blocks = (std::min(end, plan_.written) - begin) / (parts * block);
    if (!takes_parts_of(blocks * block)) blocks = 0;
    if (blocks > 0) scan_parts(line, begin, blocks, carry, totals);
    scan_line(call_, line.front.in, line.front.out, begin + parts * blocks * block, end, carry,
              totals + parts * blocks);
}

// A whole chunk of parts of so many blocks, one beside the other, which moves the carry on.
void LongScan::scan_parts(const Line& line, std::int64_t begin, std::int64_t blocks, Carry& carry,
                          const Carry* totals) const {
    record(Route::scan_parts);
    TileScope scope;
    Carry carries[scan_lines];
    LinePart some[scan_lines];
    for (std::int64_t p = 0; p < parts; ++p) {
        carries[p] = carry;
        some[p] = {line.front.in, line.front.out, begin + p * blocks * block};
        for (std::int64_t i = 0; i < blocks; ++i) method_.join(carry, totals[p * blocks + i]);
    }
    method_.start(scope.tile(), carries, scan_lines);
    scan_side_by_side(call_, scope.tile(), some, scan_lines, blocks * block);
}

}  // namespace samesum
