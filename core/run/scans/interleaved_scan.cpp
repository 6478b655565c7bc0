#include "run/scans/interleaved_scan.hpp"

#include <algorithm>
#include <cstdint>

#include "run/reduce/accumulate.hpp"
#include "run/scans/lines.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

namespace {

constexpr std::int64_t unit = static_cast<std::int64_t>(scan_lines);

}  // namespace

InterleavedScan::InterleavedScan(ScanCall& call) : call_(call), lines_(neighbours()) {}

std::int64_t InterleavedScan::neighbours() const {
    const ScanPlan& plan = call_.plan;
    const std::int64_t n = plan.inner.size, size = plan.item(), turn = plan.axis.in < 0 ? -n : n;
    if (plan.lines.rank == 0 || plan.columns || plan.swapped || n < 2 || n >= unit) return 1;
    for (int i = 0; i < plan.lines.rank; ++i)
        if (plan.lines.dim[i].in % size != 0) return 1;
    const bool beside = plan.inner.in == size && plan.axis.in == turn * size &&
                        plan.inner.out == plan.result() && plan.axis.out == turn * plan.result() &&
                        reinterpret_cast<std::uintptr_t>(plan.data) % size_of(plan.in) == 0;
    return beside ? n : 1;
}

// Some elements of each line at a time, which are scanned as one run, from the front of the last line in
// memory where that comes first.
class InterleavedScan::Pieces {
  public:
    Pieces(const InterleavedScan& scan, const char* in, char* out, Carry* carries)
        : call_(scan.call_),
          plan_(call_.plan),
          method_(call_.method),
          in_(in),
          out_(out),
          lines_(scan.lines_),
          from_(plan_.axis.in / lines_),
          to_(plan_.axis.out / lines_),
          first_(lines_ > 1 && scan.is_reversed() ? lines_ - 1 : 0),
          direct_(call_.writes(to_)) {
        if (carries == nullptr)
            method_.init(scope_.tile(), scan_lines);
        else
            start(carries);
    }

    bool run(std::int64_t begin, std::int64_t end) {
        const std::int64_t rows = std::max<std::int64_t>(1, piece_elements / (unit * lines_)) * unit;
        // A piece that is done line by line takes as long as some others.
        std::int64_t refusals = refused_pieces;
        for (std::int64_t i = begin; i < end; i += rows) {
            const std::int64_t n = std::min(rows, end - i);
            if (takes(i, n)) continue;
            if (refusals-- == 0) return false;
            put_results();
            scan_each(i, n);
        }
        put_results();
        return true;
    }

    void finish(Carry* carries) const {
        Carry now[scan_lines];
        method_.carries(scope_.tile(), now, static_cast<std::size_t>(lines_));
        for (std::int64_t k = 0; k < lines_; ++k) carries[k] = now[place_of(k)];
    }

  private:
    // Of these many the sums that are found need not be made finer, and prefixes go on together.
    static constexpr std::int64_t piece_elements = 256, kept_elements = 4 * piece_elements;
    static_assert(piece_elements >= unit * unit);

    // Of a line among those of a run.
    std::int64_t place_of(std::int64_t line) const { return first_ > 0 ? first_ - line : line; }

    void start(const Carry* carries) {
        Carry turns[scan_lines];
        for (std::int64_t j = 0; j < unit; ++j) turns[j] = carries[place_of(j % lines_)];
        method_.start(scope_.tile(), turns, scan_lines);
    }

    bool takes(std::int64_t i, std::int64_t n) {
        const std::size_t count = static_cast<std::size_t>(n * lines_);
        const char* const x =
            plan_.elements_at(in_ + i * plan_.axis.in + first_ * plan_.item(), from_, count, gathered_);
        if (!direct_ && kept_ + n * lines_ > kept_elements) put_results();
        char* const to = out_ + i * plan_.axis.out + first_ * plan_.result();
        if (kept_ == 0) kept_to_ = to;
        char* const prefixes = direct_ ? to : results_ + kept_ * plan_.result();
        const InterleavedLines some{x, prefixes, static_cast<std::size_t>(lines_),
                                    static_cast<std::size_t>(n)};
        if (!method_.interleaved(scope_.tile(), some)) return false;
        if (!direct_) kept_ += n * lines_;
        return true;
    }

    void put_results() {
        if (kept_ > 0) call_.put(results_, static_cast<std::size_t>(kept_), kept_to_, to_);
        kept_ = 0;
    }

    // Line by line.
    void scan_each(std::int64_t i, std::int64_t n) {
        record(Route::scan_line_by_line);
        Carry now[scan_lines];
        finish(now);
        for (std::int64_t k = 0; k < lines_; ++k) {
            const char* const in = in_ + k * plan_.inner.in;
            Carry total;
            line_total(call_, in, i, i + n, &total);
            scan_line(call_, in, out_ + k * plan_.inner.out, i, i + n, now[k], &total);
            method_.join(now[k], total);
        }
        start(now);
    }

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const char* const in_;
    char* const out_;
    const std::int64_t lines_, from_, to_, first_;
    const bool direct_;
    TileScope scope_;
    std::int64_t kept_ = 0;  // results that have not been put where they belong
    char* kept_to_ = nullptr;
    alignas(64) char gathered_[piece_elements * 8], results_[kept_elements * 8];
};

bool InterleavedScan::scan(const char* in, char* out, std::int64_t begin, std::int64_t end,
                           Carry* carries) const {
    Pieces pieces(*this, in, out, carries);
    const std::int64_t written = call_.plan.written;
    if (!pieces.run(begin, std::min(end, written))) return false;
    if (carries != nullptr && end < written) pieces.finish(carries);
    return true;
}

}  // namespace samesum
